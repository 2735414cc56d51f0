"""A few lines in each format, as they are published."""

from __future__ import annotations

from pathlib import Path

JOB_EVENTS = """\
0,,100,0,user,3,name,logical
600000000,,101,0,user,0,name,logical
700000000,,101,1,user,0,name,logical
1600000000,,102,0,user,1,name,logical
2600000000,,103,0,user,2,name,logical
4600000000,,104,0,user,3,name,logical
5000000000,,101,4,user,0,name,logical
"""
TASK_EVENTS = """\
600000000,,101,0,,0,user,0,2,0.25,0.5,0.0004,0
600000001,,101,1,,0,user,0,2,0.125,0.5,0.0004,0
600000002,,101,1,77,1,user,0,2,0.125,0.5,0.0004,0
1600000000,,102,0,,0,user,1,2,,,,
2600000000,,103,0,,0,user,2,2,0.5,0,0.0004,0
2600000000,,103,1,,0,user,2,2,0.5,0,0.0004,0
2600000000,,103,2,,0,user,2,2,0.5,0,0.0004,0
2700000000,,103,2,,0,user,2,2,0.5,0,0.0004,0
9000000000,,999,0,,0,user,2,2,0.5,0.5,0.0004,0
"""
JOB_TABLE = """\
submit_us,job_id,scheduling_class,schedule_us,end_us,end_event,user
0,100,3,0,,,0
600000000,101,0,700000000,5000000000,4,0
4600000000,104,3,4700000000,,,1
"""
REQUEST_TABLE = """\
first_submit_us,job_id,num_tasks,scheduling_class,priority,cpu_request_mean,cpu_request_max,mem_request_mean,mem_request_max,disk_request_mean,different_machine
600000000,101,9,0,9,0.25,0.25,0.5,0.5,0.0004,0
4600000000,104,2,3,9,,,,,,
"""
ELASTICFLOW_JOBS = """\
job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration
a,1000,3600,vgg,1899,64,2,900
b,2000,7200,vgg,9200,128,1,3600
c,5000,1200,other,5100,32,16,600
"""
ELASTICFLOW_OLDER_JOBS = """\
job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,duration,iteration
0,0,3600,vgg,2000,64,2,900,1,1
"""
THROUGHPUTS = """\
global_batch_size,1,2,4,8,16,32
64,2,4,6,8,10,nan
128,1,2,0,,6,7.5
"""
POLLUX_JOBS = """\
name,time,application,num_replicas,batch_size
net-0,100,net,4,32
net-1,400,net,2,16
other-2,700,other,2,16
"""
PLACEMENTS = """\
placement,local_bsz,step_time,sync_time
1,8,1.0,0.0
1,16,1.5,0.0
2,8,1.25,0.25
2,16,1.75,0.25
11,8,2.0,1.0
11,16,2.5,1.0
22,8,3.0,2.0
31,8,2.75,1.75
"""
SCALABILITY = """\
num_nodes,num_replicas,local_bsz,step_time,sync_time
1,4,8,1.5,0.5
4,4,8,4.0,3.0
4,8,4,4.0,3.0
"""
RUN = """\
progress,iteration,metric,grad_sqr,grad_var
10,30,0.5,1,1
20,50,0.7,1,1
"""
PODS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
p0,6000,12288,1,250,,LS,Running,0,1000,100
p1,16000,8192,4,1000,T4,BE,Succeeded,500,2100,600
p2,4000,2048,0,0,,Burstable,Failed,1000,1300,1000
p3,4000,2048,0,0,,BE,Pending,1000,1300,
"""
PODS_WITHOUT_TIMES = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli
p0,6000,12288,1,250
p1,16000,8192,2,1000
"""
NODES = """\
sn,cpu_milli,memory_mib,gpu,model
n0,32000,262144,0,
n1,96000,393216,8,G2
n2,16000,122880,2,P100
"""
TABLE = """\
job,submitted,E,K,batch,tau,class
x,2020-01-01 00:00:00,2,100,8,0.5,critical
y,2020-01-01 12:00:00,3,200,16,0.25,insensitive
z,2020-01-02T00:00:00Z,4,300,32,0.125,2
"""
TABLE_MAP = {"id": "job", "arrival": "submitted", "epochs": "E", "samples": "K", "sample_seconds": "tau"}


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def write_profiles(folder: Path) -> Path:
    """Profiles of the application `net`; its folder is below the one that is given back."""
    write(folder, "net/placements-aws.csv", PLACEMENTS)
    write(folder, "net/scalability-aws.csv", SCALABILITY)
    write(folder, "net/validation-16.csv", RUN)
    return folder


def write_all(folder: Path) -> Path:
    """Every sample, in folders like those in which the traces are published."""
    for name, text in (
        ("google2011/job_events/part-00000-of-00500.csv", JOB_EVENTS),
        ("google2011/task_events/part-00000-of-00500.csv", TASK_EVENTS),
        ("google2011/jobs.csv", JOB_TABLE),
        ("google2011/requests.csv", REQUEST_TABLE),
        ("elasticflow/cluster01.csv", ELASTICFLOW_JOBS),
        ("elasticflow/throughputs_A100/vgg.csv", THROUGHPUTS),
        ("pollux/workloads/workload-1.csv", POLLUX_JOBS),
        ("alibaba_gpu_v2023/openb_node_list_all_node.csv", NODES),
        ("alibaba_gpu_v2023/openb_pod_list_default.csv", PODS),
        ("alibaba_gpu_v2023/openb_pod_list_multigpu50.csv", PODS_WITHOUT_TIMES),
    ):
        write(folder, name, text)
    write_profiles(folder / "sia/traces")
    return folder

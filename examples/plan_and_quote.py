"""A small cluster built in Python: its jobs are planned, and one more is quoted."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pdors import (
    Admitted,
    Cluster,
    Instance,
    Job,
    MachineGroup,
    plan,
    quote,
    read_decisions,
    speed,
    utility,
    write_decisions,
    write_instance,
)

cluster = Cluster(
    resources=("gpu", "cpu"),
    groups=(MachineGroup("node", capacity=(4, 32), count=2), MachineGroup("big", capacity=(8, 64))),
)
resnet = Job(
    id="resnet50",
    arrival=0,
    epochs=30,
    samples=1_281_000,
    batch=1024,
    speed=speed.AllReduceSpeed(sample_seconds=0.0028, gradient_mb=98, internal_mb_s=12_000, external_mb_s=1_150),
    worker=(1, 6),  # in the order of the cluster's resources
    server=(0, 0),
    utility=utility.SigmoidUtility(priority=60, urgency=0.4, target=8),
)
ranking = Job(
    id="ads-ranking",
    arrival=1,
    epochs=10,
    samples=8_000_000,
    batch=512,
    speed=speed.ParameterServerSpeed(
        sample_seconds=0.0012, gradient_mb=45, workers_per_server=4, internal_mb_s=8_000, external_mb_s=1_150
    ),
    worker=(0, 6),
    server=(0, 2),
    utility=utility.DeadlineUtility(worth=20, deadline=6),
)
instance = Instance(slots=24, slot_seconds=3600, cluster=cluster, jobs=(resnet, ranking))

# Plan: every job is answered as it arrives.
decisions = plan(instance)
for job, decision in zip(instance.jobs, decisions.decisions, strict=True):
    if isinstance(decision, Admitted):
        print(f"{job.id}: done by the end of slot {decision.completion}, worth {decision.utility:.1f}")
    else:
        print(f"{job.id}: rejected for {decision.reason}")

# Quote: what would a third job be told? Nothing is committed.
rerun = replace(resnet, id="resnet50-again", arrival=2, epochs=90)
answer = quote(replace(instance, jobs=(*instance.jobs, rerun)), rerun.id)
for offer in answer.options:
    print(f"{rerun.id}: slot {offer.completion} for {offer.price:.3f}, worth {offer.utility:.1f}")
print(f"{rerun.id}: would be {'admitted' if answer.admitted else 'rejected'}")

# Write and read: the documents of `pdors plan` and `pdors check`.
with TemporaryDirectory() as folder:
    path = Path(folder) / "decisions.json"
    write_instance(instance, Path(folder) / "instance.yaml")
    write_decisions(decisions, instance, path)
    print(f"total utility {read_decisions(path, instance).total_utility:.1f}")

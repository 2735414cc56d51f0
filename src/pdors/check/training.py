"""What a schedule trains: every slot of it checked, booked and credited."""

from __future__ import annotations

from dataclasses import dataclass

from pdors.check.capacity import Loads
from pdors.check.decisions import SLOT_FIELDS, has_fields, read_counts
from pdors.check.instance import Instance, Job
from pdors.check.numeric import LARGEST_INTEGER, TOLERANCE
from pdors.check.report import Findings, Kind, at, brief
from pdors.check.speed import Held


@dataclass(frozen=True, slots=True)
class Trained:
    """The samples that a schedule trains, and the last slot in which it has workers."""

    samples: float
    last_slot: int | None

    def finishes(self, job: Job) -> bool:
        return self.samples >= job.work * (1 - TOLERANCE)

    def worth(self, job: Job) -> float:
        if self.last_slot is None or self.last_slot < job.arrival or not self.finishes(job):
            return 0.0
        return job.utility(self.last_slot - job.arrival)


class Training:
    """Slots and counts are checked here, machines once everything is in `loads`."""

    def __init__(self, instance: Instance, findings: Findings) -> None:
        self.loads = Loads(instance)
        self._instance = instance
        self._findings = findings

    def of(self, job: Job, schedule: list[object]) -> Trained | None:
        """None where a part of the schedule cannot be credited: its slot or its counts say nothing."""
        samples, last_slot, creditable = 0.0, None, True
        seen: set[int] = set()
        where = at(job.id)
        for index, value in enumerate(schedule):
            if not has_fields(value, SLOT_FIELDS, f"{where}, schedule[{index}]", self._findings):
                creditable = False
                continue
            slot = int(value["slot"])
            exists = 0 <= slot < self._instance.slots
            self._check_slot(job, slot, seen)
            held = self._held(job, slot, value["placement"], book=exists)
            if held is None or not exists:
                creditable = False
            elif held.workers:
                samples += self._instance.slot_seconds * job.speed.samples_per_second(held)
                last_slot = slot if last_slot is None else max(last_slot, slot)
        return Trained(samples, last_slot) if creditable else None

    def _check_slot(self, job: Job, slot: int, seen: set[int]) -> None:
        if not 0 <= slot < self._instance.slots:
            self._findings.flag(Kind.SLOT, at(job.id, slot), f"the slots are 0 to {self._instance.slots - 1}")
        elif slot < job.arrival:
            self._findings.flag(Kind.SLOT, at(job.id, slot), f"before the arrival in slot {job.arrival}")
        if slot in seen:
            self._findings.flag(Kind.SLOT, at(job.id, slot), "listed twice")
        seen.add(slot)

    def _held(self, job: Job, slot: int, placement: dict[object, object], *, book: bool) -> Held | None:
        """One slot's placement; None where a count cannot be read."""
        workers = servers = machines = 0
        readable = True
        for name, value in placement.items():
            counts = read_counts(value)
            if counts is None:
                message = f"got {brief(value)}, expected [workers, servers], integers from 0 to {LARGEST_INTEGER}"
                self._findings.flag(Kind.COUNT, at(job.id, slot, name), message)
                readable = False
                continue
            machine = self._instance.machines.get(name) if isinstance(name, str) else None
            if machine is None:
                self._findings.flag(Kind.MACHINE, at(job.id, slot, name), "no such machine")
            elif book:
                self.loads.add(job.number, slot, machine, *counts)
            if counts == (0, 0):
                self._findings.flag(Kind.COUNT, at(job.id, slot, name), "[0, 0] is listed, but holds nothing")
            else:
                workers, servers, machines = workers + counts[0], servers + counts[1], machines + 1
        if not placement:
            self._findings.flag(Kind.COUNT, at(job.id, slot), "listed, but holds nothing")
        if not readable:
            return None
        held = Held(workers, servers, one_machine=machines == 1)
        self._check_counts(job, slot, held)
        return held

    def _check_counts(self, job: Job, slot: int, held: Held) -> None:
        if held.workers > job.batch:
            self._findings.flag(Kind.WORKERS, at(job.id, slot), f"{held.workers} workers, the batch is {job.batch}")
        if broken := job.speed.broken_rule(held):
            kind, message = broken
            self._findings.flag(kind, at(job.id, slot), message)

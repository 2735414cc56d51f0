"""Decisions in and out: `pdors/decisions/1`."""

from __future__ import annotations

from functools import partial
from math import isclose
from pathlib import Path
from typing import Final

from pdors.errors import ModelError, Problem
from pdors.files.output import plain, write_document
from pdors.files.place import Fields, Place, read_document
from pdors.files.text import RawDocument, read_raw
from pdors.files.wording import shown
from pdors.model.decision import Admitted, Decision, Decisions, Reason, Rejected
from pdors.model.job import Instance
from pdors.model.schedule import Placement, Schedule

DECISIONS_FORMAT: Final = "pdors/decisions/1"
_SUM_TOLERANCE = 1e-9


def read_decisions(path: str | Path, instance: Instance) -> Decisions:
    return read_document(read_raw(path), DECISIONS_FORMAT, _Reader(instance).decisions)


def parse_decisions(data: object, instance: Instance, source: str) -> Decisions:
    """Decisions from plain data; `source` is what errors call it."""
    return read_document(RawDocument(data, source, ()), DECISIONS_FORMAT, _Reader(instance).decisions)


def write_decisions(decisions: Decisions, instance: Instance, path: str | Path) -> None:
    write_document(decisions_document(decisions, instance), path)


def decisions_document(decisions: Decisions, instance: Instance) -> dict[str, object]:
    if [decision.job_id for decision in decisions.decisions] != [job.id for job in instance.jobs]:
        raise ModelError("decisions are written with their own instance: one per job, in its order")
    return {
        "format": DECISIONS_FORMAT,
        "policy": decisions.policy,
        "options": dict(decisions.options),
        "seed": int(decisions.seed),
        "total_utility": plain(decisions.total_utility),
        "seconds": plain(decisions.seconds),
        "jobs": [_decision_document(decision, instance.cluster.machine_names) for decision in decisions.decisions],
    }


def _decision_document(decision: Decision, machine_names: tuple[str, ...]) -> dict[str, object]:
    payoff = None if decision.payoff is None else plain(decision.payoff)
    if isinstance(decision, Rejected):
        return {
            "id": decision.job_id,
            "admitted": False,
            "completion": None,
            "utility": 0,
            "payoff": payoff,
            "reason": decision.reason.value,
            "schedule": [],
        }
    return {
        "id": decision.job_id,
        "admitted": True,
        "completion": None if decision.completion is None else int(decision.completion),
        "utility": plain(decision.utility),
        "payoff": payoff,
        "reason": None,
        "schedule": _schedule_document(decision.schedule, machine_names),
    }


def _schedule_document(schedule: Schedule, machine_names: tuple[str, ...]) -> list[object]:
    return [
        {"slot": int(slot), "placement": _placement_document(placement, machine_names)}
        for slot, placement in schedule.by_slot()
        if placement.shares
    ]


def _placement_document(placement: Placement, machine_names: tuple[str, ...]) -> dict[str, list[int]]:
    return {machine_names[share.machine]: [int(share.workers), int(share.servers)] for share in placement.shares}


class _Reader:
    def __init__(self, instance: Instance) -> None:
        self._job_ids = [job.id for job in instance.jobs]
        self._known_ids = set(self._job_ids)
        self._machines = instance.cluster.machine_index
        self._last_slot = instance.slots - 1

    def decisions(self, fields: Fields) -> Decisions:
        fields("format").exactly(DECISIONS_FORMAT)
        policy = fields("policy").text()
        options = {key: place.json_data() for key, place in fields("options").entries().items()}
        seed = fields("seed").integer(least=0)
        seconds = fields("seconds").number(least=0)
        total_place = fields("total_utility")
        total = total_place.number(least=0)
        jobs = fields("jobs")
        paths: dict[str, str] = {}
        entries = tuple(item.record(partial(self._decision, paths=paths)) for item in jobs.items())
        if isinstance(jobs.value, list):
            self._require_each_job(jobs, paths)
        decisions = fields.build(lambda: Decisions(policy, entries, seconds, seed, options))
        if decisions is not None and not isclose(total, decisions.total_utility, rel_tol=_SUM_TOLERANCE):
            total_place.wrong(f"the sum of the jobs' utilities, {shown(decisions.total_utility)}")
        return decisions

    def _require_each_job(self, jobs: Place, paths: dict[str, str]) -> None:
        missing = [job_id for job_id in self._job_ids if job_id not in paths]
        if missing:
            others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            jobs.problems.append(
                Problem(jobs.path, f"nothing for {shown(missing[0])}{others}", "one entry per job of the instance")
            )
        elif len(paths) == len(self._job_ids):
            for (job_id, path), due in zip(paths.items(), self._job_ids, strict=True):
                if job_id != due:
                    Place(job_id, path, jobs.problems).wrong(f"{shown(due)}: the jobs in the order of the instance")
                    return

    def _decision(self, fields: Fields, paths: dict[str, str]) -> Decision:
        """`payoff` = utility - price, so the price is what the utility is above the payoff."""
        id_place = fields("id")
        job_id = id_place.new_text(paths)
        if job_id is not None and job_id not in self._known_ids:
            id_place.wrong("the id of a job of the instance")
        admitted = fields("admitted").truth()
        completion_place, utility_place, reason_place = fields("completion"), fields("utility"), fields("reason")
        completion = completion_place.or_null(self._slot)
        utility = utility_place.number(least=0)
        payoff = fields("payoff").or_null(Place.number)
        reason = reason_place.or_null(lambda place: place.choice(Reason))
        schedule = self._schedule(fields("schedule"))
        if utility and (admitted is False or completion_place.value is None):
            utility_place.wrong("0, as the job does not complete")
        if admitted:
            if reason is not None:
                reason_place.wrong("null, as the job is admitted")
            price = None if payoff is None or utility is None else utility - payoff
            return fields.build(Admitted, job_id, schedule, completion, utility, payoff, price)
        if admitted is False:
            if completion is not None:
                completion_place.wrong("null, as the job is not admitted")
            if schedule.runs:
                fields("schedule").wrong("an empty list, as the job is not admitted")
            if reason_place.value is None:
                reason_place.wrong("one of " + ", ".join(Reason) + ", as the job is not admitted")
        return fields.build(lambda: Rejected(job_id, Reason(reason_place.choice(Reason)), payoff))

    def _schedule(self, place: Place) -> Schedule:
        paths: dict[int, str] = {}
        entries = [item.record(partial(self._entry, paths=paths)) for item in place.items()]
        return Schedule.from_slots(entry for entry in entries if entry is not None)

    def _entry(self, fields: Fields, paths: dict[int, str]) -> tuple[int, Placement]:
        slot_place = fields("slot")
        slot = self._slot(slot_place)
        if slot in paths:
            slot_place.wrong(f"each slot once ({paths[slot]} has it)")
        elif slot is not None:
            paths[slot] = slot_place.path
        placement = fields("placement")
        shares = [self._share(name, place) for name, place in placement.entries().items()]
        if placement.value == {}:
            placement.wrong("at least one machine that holds something")
        return fields.build(lambda: (slot, Placement.of(shares)))

    def _slot(self, place: Place) -> int:
        return place.integer(least=0, most=self._last_slot)

    def _share(self, name: str, place: Place) -> tuple[int, int, int]:
        """Machine, workers, servers."""
        machine: int = self._machines[name] if name in self._machines else place.wrong("the name of a machine")
        if not isinstance(place.value, list) or len(place.value) != 2:
            not_counts: tuple[int, int, int] = place.wrong("[workers, servers]")
            return not_counts
        workers, servers = (count.integer(least=0) for count in place.items())
        if workers == 0 and servers == 0:
            place.wrong("workers or servers: machines that hold nothing are left out")
        return machine, workers, servers

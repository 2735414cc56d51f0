"""A small instance and decisions that keep all its rules, as parsed documents, worked out by hand; and edits of them.

What a slot of 100 seconds trains:

    ps, W=2 S=1  together  200 / (0.5 + (2*100 / (1*100)) * 2/8) = 200
                 apart     200 / (0.5 + (2*100 / (1*25)) * 2/8) = 80
    ring, W=2    together  200 / (0.5 + (2*100*1 / (2*100)) * 2/4) = 200
                 apart     200 / (0.5 + (2*100*1 / (2*25)) * 2/4) = 80
    ring, W=1    together  100 / 0.5 = 200, as one worker has nobody to talk to
    measured     together  200, 350 with 1, 2 workers
                 apart     300, 500 with 2, 4 workers
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

Document = dict[str, object]
DROPPED = object()
"""In the place of a value: that there is none."""


def instance_document() -> Document:
    return {
        "format": "pdors/instance/1",
        "slots": 10,
        "slot_seconds": 100,
        "resources": ["gpu", "cpu"],
        "machines": [
            {"name": "m", "count": 2, "capacity": {"gpu": 4, "cpu": 8}},
            {"name": "big", "capacity": {"gpu": 8, "cpu": 16}},
        ],
        "jobs": [
            {
                "id": "ps",
                "arrival": 1,
                "epochs": 4,
                "samples": 100,
                "batch": 8,
                "speed": {
                    "kind": "ps",
                    "sample_seconds": 0.5,
                    "gradient_mb": 100,
                    "workers_per_server": 2,
                    "internal_mb_s": 100,
                    "external_mb_s": 25,
                },
                "worker": {"gpu": 1, "cpu": 2},
                "server": {"cpu": 1},
                "utility": {"kind": "sigmoid", "priority": 40, "urgency": 1, "target": 2},
            },
            {
                "id": "ring",
                "arrival": 0,
                "epochs": 1,
                "samples": 160,
                "batch": 4,
                "speed": {
                    "kind": "allreduce",
                    "sample_seconds": 0.5,
                    "gradient_mb": 100,
                    "internal_mb_s": 100,
                    "external_mb_s": 25,
                },
                "worker": {"gpu": 1, "cpu": 2},
                "utility": {"kind": "deadline", "value": 10, "deadline": 3, "late_value": 4},
            },
            {
                "id": "measured",
                "arrival": 2,
                "epochs": 5,
                "samples": 100,
                "batch": 4,
                "speed": {
                    "kind": "table",
                    "workers": [1, 2, 4],
                    "internal": [2, 3.5, None],
                    "external": [None, 3, 5],
                },
                "worker": {"gpu": 2, "cpu": 1},
                "utility": {"kind": "table", "after": [0, 2, 5], "value": [30, 10, 0]},
            },
            {
                "id": "rejected",
                "arrival": 3,
                "epochs": 1,
                "samples": 1,
                "batch": 1,
                "speed": {"kind": "table", "workers": [1], "internal": [1]},
                "worker": {"gpu": 1},
                "utility": {"kind": "deadline", "value": 1, "deadline": 9},
            },
        ],
    }


def decisions_document() -> Document:
    """Two slots of 200 samples; two of 80; one of 500; and a job that is not admitted."""
    return {
        "format": "pdors/decisions/1",
        "policy": "by hand",
        "options": {},
        "seed": 0,
        "total_utility": 54,
        "seconds": 0.25,
        "jobs": [
            {
                "id": "ps",
                "admitted": True,
                "completion": 3,
                "utility": 20,
                "payoff": 5,
                "reason": None,
                "schedule": [
                    {"slot": 1, "placement": {"m-0": [2, 1]}},
                    {"slot": 3, "placement": {"m-0": [2, 1]}},
                ],
            },
            {
                "id": "ring",
                "admitted": True,
                "completion": 4,
                "utility": 4,
                "payoff": 1.5,
                "reason": None,
                "schedule": [
                    {"slot": 0, "placement": {"m-0": [1, 0], "m-1": [1, 0]}},
                    {"slot": 4, "placement": {"m-0": [1, 0], "m-1": [1, 0]}},
                ],
            },
            {
                "id": "measured",
                "admitted": True,
                "completion": 2,
                "utility": 30,
                "payoff": 30,
                "reason": None,
                "schedule": [{"slot": 2, "placement": {"m-1": [1, 0], "big": [3, 0]}}],
            },
            {
                "id": "rejected",
                "admitted": False,
                "completion": None,
                "utility": 0,
                "payoff": -1,
                "reason": "price",
                "schedule": [],
            },
        ],
    }


def edited(document: Document, edits: Mapping[str, object]) -> Document:
    """With other values at paths like `jobs/0/utility`; `DROPPED` takes one away, the end of a list takes one more."""
    changed = copy.deepcopy(document)
    for path, value in edits.items():
        *parents, last = path.split("/")
        place: object = changed
        for key in parents:
            place = place[_key(place, key)]  # type: ignore[index]  # paths are written for this document
        if isinstance(place, list) and int(last) == len(place):
            place.append(copy.deepcopy(value))
        elif value is DROPPED:
            del place[_key(place, last)]  # type: ignore[attr-defined]  # likewise
        else:
            place[_key(place, last)] = copy.deepcopy(value)  # type: ignore[index]  # likewise
    return changed


def _key(place: object, key: str) -> int | str:
    return int(key) if isinstance(place, list) else key

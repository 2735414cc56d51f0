"""What a figure of the paper is: what varies, what is fixed, who runs, what is drawn, and what the text says of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from pdors.planner.pricing import PricesName
from pdors.planner.rounding import Sizes
from pdors.studies.comparison import BoundRun, PolicyRun
from pdors.studies.paper.cells import FeasibilityRun, OptimumRun, RoundingRun
from pdors.studies.paper.claims import Claim
from pdors.studies.paper.google import FromGoogle
from pdors.studies.paper.options import PaperOptions
from pdors.studies.runs import Run
from pdors.studies.sources import Generated, Source
from pdors.workloads.paper_settings import Mix, PaperWorkload


@dataclass(frozen=True)
class Axis:
    """`unit` is that of the numbers; empty for a number without one."""

    name: str
    unit: str = ""
    logarithmic: bool = False

    def __str__(self) -> str:
        return f"{self.name} [{self.unit}]" if self.unit else self.name


class Curve(Protocol):
    """One line of a figure: what is run at each point, for each seed."""

    @property
    def key(self) -> str: ...

    @property
    def policy(self) -> str: ...

    def run(self, source: Source, x: float, seed: int, options: PaperOptions) -> Run: ...


@dataclass(frozen=True)
class PolicyCurve:
    policy: str
    prices: PricesName = "default"

    @property
    def key(self) -> str:
        return self.policy if self.prices == "default" else f"{self.policy}:{self.prices}"

    def run(self, source: Source, x: float, seed: int, options: PaperOptions) -> Run:  # noqa: ARG002 - the same at all points
        return PolicyRun(source, self.policy, seed, self.prices)


@dataclass(frozen=True)
class BoundCurve:
    policy = "bound"
    key = "bound"

    def run(self, source: Source, x: float, seed: int, options: PaperOptions) -> Run:  # noqa: ARG002 - the same at all points
        return BoundRun(source, seed, options.bound_seconds)


@dataclass(frozen=True)
class OptimumCurve:
    policy = "optimum"
    key = "optimum"

    def run(self, source: Source, x: float, seed: int, options: PaperOptions) -> Run:  # noqa: ARG002 - the same at all points
        return OptimumRun(source, seed, options.optimum_seconds)


@dataclass(frozen=True)
class RoundingCurve:
    """PD-ORS with the paper's solver; the axis is G."""

    prices: PricesName = "default"
    policy = "rounding"

    @property
    def key(self) -> str:
        return self.policy if self.prices == "default" else f"{self.policy}:{self.prices}"

    def run(self, source: Source, x: float, seed: int, options: PaperOptions) -> Run:
        return RoundingRun(source, seed, x, options.draws, self.prices)


@dataclass(frozen=True)
class FeasibilityCurve:
    """The axis is delta; m = 1 as the paper prints the program."""

    width: float
    packing_rows: int
    packing_width: float
    policy = "feasibility"

    @property
    def key(self) -> str:
        return f"W_a = {self.width:g}"

    def run(self, source: Source, x: float, seed: int, options: PaperOptions) -> Run:  # noqa: ARG002 - nothing is run
        sizes = Sizes(1, self.width, self.packing_rows, self.packing_width)
        return FeasibilityRun(sizes, x)


def both_prices(*policies: str) -> tuple[PolicyCurve, ...]:
    """Those policies under the default prices and under the paper's constants."""
    return tuple(PolicyCurve(policy, prices) for policy in policies for prices in ("default", "paper"))


def policies(*names: str) -> tuple[PolicyCurve, ...]:
    return tuple(map(PolicyCurve, names))


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What is fixed: everything but the axis. `words` stand in where there are no jobs."""

    jobs: int = 1
    machines: int = 1
    slots: int = 1
    mix: Mix = PaperWorkload.mix
    google: bool = False
    words: str = ""

    def told(self, vary: str) -> str:
        """In the letters of the text, without what varies."""
        if self.words:
            return self.words
        letters = {"machines": f"H={self.machines}", "jobs": f"I={self.jobs}", "slots": f"T={self.slots}"}
        fixed = ", ".join(text for name, text in letters.items() if name != vary)
        return f"{fixed}, {vary} rising, mix {self.mix}" if vary != "nothing" else f"{fixed}, mix {self.mix}"

    def source(self, vary: str, x: float, options: PaperOptions) -> Source:
        here = {"jobs": replace(self, jobs=int(x)), "machines": replace(self, machines=int(x))}.get(vary, self)
        if here.google and options.google is not None:
            trace = options.google
            return FromGoogle(trace, trace.digest, here.jobs, here.machines, here.slots, options.base.slot_seconds)
        return Generated(replace(options.base, jobs=here.jobs, machines=here.machines, slots=here.slots, mix=here.mix))


Vary = Literal["machines", "jobs", "gain", "delta", "nothing"]
PanelKind = Literal["lines", "bars", "distribution"]


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line that is not simply the panel's column of a curve."""

    curve: str
    column: str
    label: str
    look: Literal["main", "other", "paper", "bound"] = "bound"


@dataclass(frozen=True, kw_only=True)
class Panel:
    """`column` of the rows against the axis of the figure, or `along` another one; by default of all curves.

    With `gain_over` what is above another curve, as a share of that curve's mean, in percent; with `ratio_of` how many
    times as much that curve has: 1 / mean of the shares of it.
    """

    axis: Axis
    along: Axis | None = None
    column: str = "total_utility"
    kind: PanelKind = "lines"
    curves: tuple[str, ...] | None = None
    gain_over: str | None = None
    ratio_of: str | None = None
    lines: tuple[Line, ...] = ()
    shade: tuple[float, float] | None = None
    diagonal: bool = False


@dataclass(frozen=True, kw_only=True)
class Figure:
    """`said` is what the text claims, `silent` what was chosen where it says nothing; `beyond` are figures of ours."""

    name: str
    title: str
    said: str
    silent: str = ""
    setting: Setting
    vary: Vary
    axis: Axis
    points: tuple[float, ...]
    quick_points: tuple[float, ...]
    curves: tuple[Curve, ...]
    panels: tuple[Panel, ...]
    claims: tuple[Claim, ...]
    many_instances: bool = False
    seeded: bool = True
    beyond: bool = False

    def jobs_told(self, options: PaperOptions) -> str:
        """Where the jobs come from."""
        if self.setting.google:
            return (
                "STAND-IN: the generator's synthetic jobs, as no Google trace was given (--google)"
                if options.google is None
                else "arrivals and scheduling classes of the Google trace, all else drawn from the paper's ranges"
            )
        return "synthetic, every value drawn from the paper's range"

    def title_for(self, options: PaperOptions) -> str:
        return f"{self.title} (synthetic stand-in)" if self.setting.google and options.google is None else self.title

    def points_for(self, options: PaperOptions) -> tuple[float, ...]:
        return self.quick_points if options.quick else self.points

    def seeds_for(self, options: PaperOptions) -> tuple[int, ...]:
        if not self.seeded:
            return options.seeds[:1]
        return options.instances if self.many_instances else options.seeds

    def runs(self, options: PaperOptions) -> Iterable[tuple[tuple[str, float, int], Run]]:
        """Every cell: which curve, point and seed, and what is run."""
        for x in self.points_for(options):
            source = self.setting.source(self.vary, x, options)
            for curve in self.curves:
                for seed in self.seeds_for(options):
                    yield (curve.key, x, seed), curve.run(source, x, seed, options)

    @property
    def others(self) -> tuple[str, ...]:
        """Figures whose cells its claims need beside its own."""
        return tuple(dict.fromkeys(name for claim in self.claims for name in claim.needs))

"""The feasibility study of Remark 1: where the condition on delta holds."""

from pdors.studies.paper.claims import CrossesEarlier
from pdors.studies.paper.declaration import Axis, FeasibilityCurve, Figure, Panel, Setting

G_DELTA = Figure(
    name="Gdelta",
    title="Feasibility study: where delta is above 3m / exp(G W_a / 2)",
    said="the larger W_a, the smaller the delta from which on the condition holds",
    silent="m = 1, as in the paper's program; W_a of 25 to 45",
    setting=Setting(words="W_b=15, r=401, delta from 0.02 to 0.1, several W_a"),
    vary="delta",
    axis=Axis("delta"),
    points=(0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1),
    quick_points=(0.02, 0.04, 0.06, 0.08, 0.1),
    curves=tuple(FeasibilityCurve(width, packing_rows=401, packing_width=15) for width in (25, 30, 35, 40, 45)),
    panels=(Panel(axis=Axis("right-hand side, 3m / exp(G W_a / 2)"), column="right_hand_side", diagonal=True),),
    claims=(CrossesEarlier(text="the larger W_a, the smaller the delta from which on the condition holds"),),
    seeded=False,
)

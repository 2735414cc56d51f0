"""A policy of one's own: the job with the least work left trains first, on as many workers as it may have.

The commands that run it:

$ pdors simulate --instance examples/cluster.yaml --policy examples/shortest_first.py:ShortestFirst
$ pdors compare examples/cluster.yaml --policies pdors,fifo,examples/shortest_first.py:ShortestFirst
"""

from pdors.model.schedule import Placement
from pdors.policies.packing import Dealer, free_now
from pdors.policies.policy import Allotment, Policy, QueuedJob, View


class ShortestFirst(Policy):
    """Every job is queued, as `Policy` does; each slot is allotted anew."""

    def allot(self, view: View) -> Allotment:
        dealer = Dealer(free_now(view.ledger, view.slot))
        placements: dict[str, Placement] = {}
        for queued in sorted(view.queue, key=lambda queued: queued.samples_left / queued.shape.apart.max()):
            placement = most_workers(dealer, queued)
            if placement is not None:
                placements[queued.job.id] = placement
        return Allotment(placements)


def most_workers(dealer: Dealer, queued: QueuedJob) -> Placement | None:
    """The most workers, with the servers that they need, for which there is room."""
    shape = queued.shape
    for workers in range(shape.max_workers, 0, -1):
        if shape.apart[workers] > 0:
            placement = dealer.deal(shape.worker, shape.server, workers, int(shape.servers[workers]))
            if placement is not None:
                return placement
    return None

"""The paper: prices, Algorithm 4 (one slot), Algorithm 3 (all slots), Algorithm 2 (offers), Algorithm 1 (admission)."""

from pdors.planner.admission import Planner
from pdors.planner.quotes import Offer, Quote, WouldAdmit

__all__ = ["Offer", "Planner", "Quote", "WouldAdmit"]

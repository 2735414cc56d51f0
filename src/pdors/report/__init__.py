"""A comparison of policies as one HTML file that opens anywhere, without a network."""

from pdors.report.comparison import PolicySummary, comparison_report

__all__ = ["PolicySummary", "comparison_report"]

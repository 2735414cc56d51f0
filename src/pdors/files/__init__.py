"""Documents in and out: instances and decisions, as JSON or YAML."""

from pdors.files.decisions import decisions_document, parse_decisions, read_decisions, write_decisions
from pdors.files.instance import instance_document, parse_instance, read_instance, write_instance
from pdors.files.text import load_document

__all__ = [
    "decisions_document",
    "instance_document",
    "load_document",
    "parse_decisions",
    "parse_instance",
    "read_decisions",
    "read_instance",
    "write_decisions",
    "write_instance",
]

"""The report as a browser shows it: headless Chromium, without a network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from pdors.engine.simulation import simulate
from pdors.model.decision import Reason
from pdors.policies.fifo import Fifo
from pdors.policies.pdors import PdOrs
from pdors.policies.registry import POLICY_NAMES
from pdors.report import comparison_report
from pdors.workloads.paper import PaperWorkload, generate
from tests.report.outcomes import held, job, outcome, rejected, summary

OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
CHARTS = (
    "utility-chart", "fates-chart", "gantt-chart", "heat-chart", "use-chart", "price-chart", "training-chart",
    "waiting-chart",
)  # fmt: skip
COLOURS_IN = """id => {
    const canvas = document.querySelector(`#${id} canvas`);
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
}"""
PIXELS_OF = "id => document.querySelector(`#${id} canvas`).toDataURL()"
CHANGED = "([id, before]) => document.querySelector(`#${id} canvas`).toDataURL() !== before"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

NASTY = ("</script><script>document.title = 'caught'</script>", "<img src=x onerror=\"document.title = 'caught'\">",
         "\u202eevil", "\ud800", "__proto__", "a name " * 40)  # fmt: skip


@dataclass
class Shown:
    """A page, and what it complained of or asked for."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def first_column(self, table: str) -> list[str]:
        return self.page.locator(f"#{table} tbody td:first-child").all_inner_texts()

    def pixels(self, chart: str) -> str:
        return str(self.page.evaluate(PIXELS_OF, chart))

    def wait_until_redrawn(self, chart: str, before: str) -> None:
        """Some changes show with the next frame."""
        self.page.wait_for_function(CHANGED, arg=[chart, before])


Show = Callable[..., Shown]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    names = (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    path = next((found for name in names if name and (found := shutil.which(name))), None)
    assert path, "no Chromium on the PATH; scripts/test installs one on Debian, or says how"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(OPTIONS))
        yield started
        started.close()


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Show]:
    contexts = []

    def opened(report: str, *, width: int = 1440, dark: bool = False) -> Shown:
        file = tmp_path / "report.html"
        file.write_text(report, encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", offline=True
        )
        contexts.append(context)
        context.set_default_timeout(10_000)
        shown = Shown(context.new_page())
        shown.page.on("console", lambda message: shown.complaints.append(message.text))
        shown.page.on("pageerror", lambda error: shown.complaints.append(str(error)))
        shown.page.on("request", lambda request: shown.requests.append(request.url))
        shown.page.goto(file.as_uri())
        assert shown.requests == [file.as_uri()]
        return shown

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def two_policies() -> str:
    instance = generate(PaperWorkload(jobs=100, machines=30, slots=80), np.random.default_rng(1))
    outcomes = {"pdors": simulate(instance, PdOrs), "fifo": simulate(instance, Fifo)}
    summaries = [
        summary("pdors", 310.0, 290.0, bound=400.0, jobs=200),
        summary("fifo", 9.0, 11.0, bound=400.0, jobs=200),
    ]
    return comparison_report("Two policies", instance, outcomes, summaries, {"seeds": "1, 2"})


@pytest.fixture(scope="module")
def nasty() -> str:
    jobs = [
        (job(name, arrival=number), held(name, (number, 5, [(0, 1, 0)]), completion=4))
        for number, name in enumerate(NASTY[:5])
    ]
    made = outcome(*jobs, (job(NASTY[5]), rejected(NASTY[5], Reason.FULL)))
    policies = (*POLICY_NAMES, NASTY[0])
    outcomes = dict.fromkeys(policies, made)
    summaries = [summary(policy, *range(number + 1, number + 11)) for number, policy in enumerate(policies)]
    return comparison_report(NASTY[0], made.instance, outcomes, summaries, {NASTY[1]: NASTY[0]})


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_every_chart_is_drawn_and_nothing_is_wider_than_the_screen(
    show: Show, two_policies: str, width: int, *, dark: bool
) -> None:
    shown = show(two_policies, width=width, dark=dark)
    for chart in CHARTS:
        assert shown.page.evaluate(COLOURS_IN, chart) > 10, chart
    assert shown.page.evaluate(OVERFLOW) == 0
    ground = shown.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(14, 18, 22)") == dark
    assert not shown.complaints


def test_the_colours_follow_the_reader_without_loading_again(show: Show, two_policies: str) -> None:
    shown = show(two_policies)
    light = {chart: shown.pixels(chart) for chart in CHARTS}
    shown.page.emulate_media(color_scheme="dark")
    for chart in CHARTS:
        shown.wait_until_redrawn(chart, light[chart])
    assert not shown.complaints


def test_another_policy_changes_everything_that_is_of_one_policy(show: Show, two_policies: str) -> None:
    shown = show(two_policies)
    before = {chart: shown.pixels(chart) for chart in ("gantt-chart", "heat-chart", "use-chart")}
    rows = shown.page.locator("#job-table tbody").inner_text()
    picked = shown.page.get_by_role("radio", name="pdors")
    picked.focus()
    picked.press("ArrowRight")
    assert shown.page.get_by_role("radio", name="fifo").is_checked()
    assert all(shown.pixels(chart) != before[chart] for chart in before)
    assert shown.page.locator("#job-table tbody").inner_text() != rows
    assert shown.page.locator(".of-policy").all_inner_texts() == ["fifo", "fifo"]
    assert shown.page.locator("#rejected").inner_text().startswith("41 jobs rejected")
    assert not shown.complaints


def test_another_resource_changes_its_charts(show: Show, two_policies: str) -> None:
    shown = show(two_policies)
    before = shown.pixels("use-chart"), shown.pixels("price-chart")
    shown.page.get_by_role("radio", name="cpu").check()
    assert shown.page.locator("#use-heading").inner_text() == "Use of cpu, % of the cluster"
    assert shown.pixels("use-chart") != before[0]
    assert shown.pixels("price-chart") != before[1]


def test_tables_sort_by_mouse_and_by_keyboard(show: Show, two_policies: str) -> None:
    shown = show(two_policies)
    assert shown.first_column("policy-table") == ["pdors", "fifo"]
    head = shown.page.locator("#policy-table th", has_text="total utility")
    assert head.get_attribute("aria-sort") == "descending"
    head.get_by_role("button").click()
    assert shown.first_column("policy-table") == ["fifo", "pdors"]
    assert head.get_attribute("aria-sort") == "ascending"
    button = shown.page.locator("#job-table th", has_text="job").get_by_role("button")
    button.focus()
    button.press("Enter")
    assert shown.first_column("job-table")[:3] == ["job-0", "job-1", "job-2"]
    shown.page.keyboard.press("Enter")
    assert shown.first_column("job-table")[:3] == ["job-99", "job-98", "job-97"]


def test_what_has_no_value_stays_at_the_end_of_the_table(show: Show, two_policies: str) -> None:
    shown = show(two_policies)
    head = shown.page.locator("#job-table th", has_text="completion")
    place = shown.page.locator("#job-table th").all_inner_texts().index(head.inner_text())
    for _ in range(2):
        head.get_by_role("button").click()
        cells = shown.page.locator(f"#job-table tbody td:nth-child({place + 1})").all_inner_texts()
        known = [int(cell) for cell in cells if cell]
        assert known == [int(cell) for cell in cells[: len(known)]]
        assert known == sorted(known, reverse=head.get_attribute("aria-sort") == "descending")
        assert 0 < len(known) < 100


def test_jobs_are_found_by_a_part_of_their_name(show: Show, two_policies: str) -> None:
    shown = show(two_policies)
    shown.page.get_by_role("searchbox").fill("b-1")
    assert set(shown.first_column("job-table")) == {"job-1", *(f"job-{number}" for number in range(10, 20))}


def test_the_gantt_chart_zooms_by_buttons(show: Show, two_policies: str) -> None:
    shown = show(two_policies)
    whole = shown.pixels("gantt-chart")
    for title in ("fewer jobs", "later jobs"):
        before = shown.pixels("gantt-chart")
        shown.page.get_by_role("button", name=title).click()
        shown.wait_until_redrawn("gantt-chart", before)
    before = shown.pixels("gantt-chart")
    shown.page.get_by_role("button", name="more jobs").click()
    shown.wait_until_redrawn("gantt-chart", before)
    assert shown.pixels("gantt-chart") == whole
    assert not shown.complaints


@pytest.mark.parametrize(
    ("chart", "words"),
    [("gantt-chart", "arrival"), ("heat-chart", "%"), ("use-chart", "pdors"), ("utility-chart", "of the offline bound"),
     ("fates-chart", "rejected: full")],
)  # fmt: skip
def test_charts_have_tooltips(show: Show, two_policies: str, chart: str, words: str) -> None:
    shown = show(two_policies)
    box = shown.page.locator(f"#{chart}")
    box.scroll_into_view_if_needed()
    at = box.bounding_box()
    assert at is not None
    for step in (0.0, 2.0):
        shown.page.mouse.move(at["x"] + at["width"] / 2 + step, at["y"] + at["height"] / 2.2)
    told = box.locator(".tip")
    told.wait_for(state="visible")
    assert words in told.inner_text()
    assert not shown.complaints


@pytest.mark.parametrize("width", [1440, 390])
def test_names_do_nothing_but_stand_there(show: Show, nasty: str, width: int) -> None:
    shown = show(nasty, width=width)
    assert shown.page.title() == NASTY[0]
    assert shown.page.locator("h1").inner_text() == NASTY[0]
    assert shown.page.evaluate(OVERFLOW) == 0
    for label in shown.page.locator("#picker label").all():
        label.click()
    assert shown.page.locator("#gantt-chart").get_attribute("aria-label") is not None
    assert NASTY[0] in shown.page.locator("#picker").inner_html().replace("&lt;", "<").replace("&gt;", ">")
    assert shown.page.locator("img").count() == 0
    assert not shown.complaints


def test_the_page_may_ask_nobody(show: Show, nasty: str) -> None:
    shown = show(nasty)
    refused = shown.page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')")
    assert refused == "refused"
    assert "Content Security Policy" in shown.complaints[0]
    assert len(shown.requests) == 1


def test_without_prices_there_is_no_chart_of_them_and_without_a_bound_no_share_of_it(show: Show, nasty: str) -> None:
    shown = show(nasty)
    assert not shown.page.locator("#price-card").is_visible()
    assert shown.page.locator("#utility-measure").inner_text() == ""
    assert "bound" not in shown.page.locator("#policy-table").inner_text()


def test_no_jobs_and_no_policies_are_shown_too(show: Show) -> None:
    made = outcome()
    shown = show(comparison_report("no jobs", made.instance, {"fifo": made}, [summary("fifo", 0.0, jobs=0)], {}))
    assert not shown.complaints
    assert "NaN" not in shown.page.locator("body").inner_text()
    shown = show(comparison_report("nobody", made.instance, {}, [], {}))
    assert not shown.page.locator("#detail").is_visible()
    assert not shown.complaints

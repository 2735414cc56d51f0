function drawWords() {
  const jobs = data.jobs.id.length;
  byId("setting").textContent =
    `${plural(jobs, "job")} on ${plural(data.machines, "machine")} with ${data.resources.map(shown).join(", ")}; ` +
    `${plural(data.slots, "slot")} of ${duration(data.slotSeconds)}; ${plural(data.summaries.length, "policy").replace(/ys$/, "ies")}; ${plural(Math.max(1, seeds), "seed")}`;
  byId("totals-heading").textContent = seeds > 1 ? `All ${seeds} seeds` : "Totals";
  const seed = policies.length ? data.details[policies[0]].seed : null;
  byId("detail-heading").textContent = seeds > 1 && seed !== null ? `Seed ${seed} in detail` : "In detail";
  byId("facts").replaceChildren(...[...data.facts, ["pdors", data.version]].flatMap(([name, value]) => [
    element("dt", {}, shown(name)), element("dd", {}, shown(value)),
  ]));
  drawFinding();
}

function drawFinding() {
  const [first, second] = byUtility();
  if (!first) return;
  const part = (row) => (haveBounds ? `, ${percent(mean(ofBound(row)))} of the offline bound` : "");
  if (!second) {
    const average = seeds > 1 ? " on average" : "";
    const words = ` reaches a total utility of ${number(mean(first.utilities))}${average}${part(first)}.`;
    byId("finding").replaceChildren(element("b", {}, shown(first.policy)), words);
    return;
  }
  const words = [element("b", {}, shown(first.policy)), ` has the highest total utility${seeds > 1 ? " on average" : ""}: ${number(mean(first.utilities))}${part(first)}`];
  words.push("; next is ", element("b", {}, shown(second.policy)), ` with ${number(mean(second.utilities))}${part(second)}`);
  byId("finding").replaceChildren(...words, ".");
}

function drawControls() {
  const named = policies.map((policy) => ({ value: policy, label: policy, policy }));
  choice(byId("picker"), "Policy to show in detail", named, state.policy, (policy) => {
    state.policy = policy;
    drawPolicy();
  });
  const resources = data.resources.map((resource) => ({ value: resource, label: resource }));
  choice(byId("resource-picker"), "Resource", resources, state.resource, (resource) => {
    state.resource = resource;
    drawCourses();
  });
  if (haveBounds) {
    const measures = [{ value: "total", label: "total" }, { value: "share", label: "% of the bound" }];
    choice(byId("utility-measure"), "Measure", measures, state.utility, (measure) => {
      state.utility = measure;
      drawUtility();
    });
  }
}

function drawJobTools() {
  const box = byId("job-tools");
  const search = element("input", { type: "search", placeholder: "part of a job's name", value: state.search });
  search.setAttribute("aria-label", "Show the jobs with this in their name");
  search.addEventListener("input", () => {
    state.search = search.value;
    drawJobTable();
  });
  const kinds = element("span", { id: "job-table-kind" });
  box.replaceChildren(search, kinds);
  const options = [{ value: "one", label: "one policy" }, { value: "all", label: "all policies" }];
  if (policies.length > 1) {
    choice(kinds, "Columns", options, state.jobTable, (kind) => {
      state.jobTable = kind;
      drawJobTable();
    });
  }
}

function drawPolicy() {
  for (const place of document.querySelectorAll(".of-policy")) place.textContent = shown(state.policy);
  drawGantt();
  drawHeat();
  drawCourses();
  drawJobTable();
}

function drawAll() {
  drawControls();
  drawUtility();
  drawFates();
  drawPolicyTable();
  if (policies.length) drawPolicy();
}

let width = 0;

function onResize() {
  if (document.documentElement.clientWidth === width) return;
  width = document.documentElement.clientWidth;
  drawAll();
}

byId("detail").hidden = policies.length === 0;
drawWords();
drawJobTools();
onResize();
let waiting;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(onResize, 120);
});
darkMode.addEventListener("change", drawAll);

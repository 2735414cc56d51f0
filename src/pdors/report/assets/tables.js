/* A table that sorts by a click on a heading; what has no value stays at the end. Columns: head, unit, text, value(row),
   show(row), best ("most" or "least"). */
function sortable(box, { label, columns, rows, sort, tall, most, rowClass }) {
  const order = { column: Math.max(0, columns.findIndex((column) => column.head === sort.by)), falls: sort.falls };
  const body = element("tbody");
  const heads = columns.map((column, index) => {
    const arrow = element("span", { className: "arrow" });
    arrow.setAttribute("aria-hidden", "true");
    const button = element("button", { type: "button" }, ...(column.text ? [column.head, arrow] : [arrow, column.head]), column.unit && element("small", {}, column.unit));
    button.addEventListener("click", () => {
      const falls = order.column === index ? !order.falls : !column.text;
      Object.assign(order, { column: index, falls });
      Object.assign(sort, { by: column.head, falls });
      fill();
    });
    const head = element("th", { scope: "col", className: column.text ? "text" : "" }, button);
    return { head, arrow };
  });
  const best = columns.map((column) => {
    const values = rows.map(column.value).filter(isNumber);
    if (!column.best || values.length < 2 || Math.min(...values) === Math.max(...values)) return null;
    return column.best === "most" ? Math.max(...values) : Math.min(...values);
  });

  function fill() {
    const column = columns[order.column];
    heads.forEach(({ head, arrow }, index) => {
      head.setAttribute("aria-sort", index !== order.column ? "none" : order.falls ? "descending" : "ascending");
      arrow.textContent = index !== order.column ? "" : order.falls ? "\u25be" : "\u25b4";
    });
    const sorted = rows
      .map((row) => [column.value(row), row])
      .sort(([a], [b]) => compared(a, b, order.falls))
      .slice(0, most)
      .map(([, row]) => row);
    body.replaceChildren(...sorted.map(made));
  }

  function made(row) {
    const line = element("tr", { className: rowClass ? rowClass(row) : "" });
    columns.forEach((column, index) => {
      const value = column.value(row);
      const cell = element("td", {}, column.show ? column.show(row) : column.text ? nameOf(value ?? "") : number(value));
      if (column.text) cell.classList.add("text");
      if (best[index] !== null && value === best[index]) cell.classList.add("best");
      line.append(cell);
    });
    return line;
  }

  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads.map(({ head }) => head))), body);
  table.setAttribute("aria-label", label);
  const frame = element("div", { className: tall ? "table tall" : "table", tabIndex: 0 }, table);
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", label);
  fill();
  box.replaceChildren(frame);
}

function compared(a, b, falls) {
  const [noA, noB] = [a, b].map((value) => value === null || value === undefined || value === "");
  if (noA || noB) return noA - noB;
  const sign = isNumber(a) && isNumber(b) ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  return falls ? -sign : sign;
}

const policySort = { by: "total utility", falls: true };

function drawPolicyTable() {
  const several = seeds > 1;
  const per = several ? "mean" : "";
  const columns = [
    { head: "policy", text: true, value: (row) => row.policy, show: (row) => element("span", {}, swatch(row.policy), nameOf(row.policy)) },
    { head: "total utility", unit: per, value: (row) => mean(row.utilities), best: "most" },
    several && { head: "spread", unit: "sd", value: (row) => spread(row.utilities) },
    several && { head: "least", unit: "worst seed", value: (row) => Math.min(...row.utilities) },
    several && { head: "most", unit: "best seed", value: (row) => Math.max(...row.utilities) },
    haveBounds && share("of bound", several ? "%, mean" : "%", (row) => mean(ofBound(row)), "most"),
    share("done", "% of jobs", (row) => row.done / row.jobs, "most"),
    share("by target", "% of jobs", (row) => row.byTarget / row.jobs, "most"),
    { head: "training", unit: "median slots", value: (row) => row.medianSlots, best: "least" },
    ...data.resources.map((resource) => share(shown(resource), "% used", (row) => row.use[resource])),
    { head: "p50", unit: "decision, ms", value: (row) => 1000 * row.decisionSeconds[0], best: "least" },
    { head: "p99", unit: "decision, ms", value: (row) => 1000 * row.decisionSeconds[1], best: "least" },
  ].filter(Boolean);
  sortable(byId("policy-table"), {
    label: "Policies", columns, rows: data.summaries, sort: policySort,
    rowClass: (row) => (row.policy === state.policy ? "chosen" : ""),
  });
}

function share(head, unit, value, best) {
  return { head, unit, value, best, show: (row) => percent(value(row)).replace(" %", "") };
}

const jobSorts = { one: { by: "arrival", falls: false }, all: { by: "arrival", falls: false } };
const FEW_JOBS = 200;

function drawJobTable() {
  const search = state.search.toLowerCase();
  const found = data.jobs.id.map((_, job) => job).filter((job) => data.jobs.id[job].toLowerCase().includes(search));
  const most = state.moreJobs ? found.length : FEW_JOBS;
  const columns = state.jobTable === "one" ? columnsOfOne(data.details[state.policy].jobs) : columnsOfAll();
  byId("job-table-of").replaceChildren(state.jobTable === "one" ? shown(state.policy) : "utility in every policy");
  sortable(byId("job-table"), { label: "Jobs", columns, rows: found, sort: jobSorts[state.jobTable], tall: true, most });
  const all = toolButton(`Show all ${plural(found.length, "job")}`, "Show all jobs", () => {
    state.moreJobs = true;
    drawJobTable();
  });
  const left = found.length > most ? [`The first ${most} in this order. `, all] : [`${plural(found.length, "job")}.`];
  byId("job-more").replaceChildren(...left);
}

function columnsOfOne(rows) {
  const plain = (head, unit, name) => ({ head, unit, value: (job) => rows[name][job] });
  const told = (job) => (rows.decision[job] === "rejected" ? `rejected: ${rows.reason[job]}` : rows.decision[job]);
  const optional = (column, name) => (rows[name].some(isNumber) ? [column] : []);
  return [
    { head: "job", text: true, value: (job) => data.jobs.id[job] },
    { head: "arrival", unit: "slot", value: (job) => data.jobs.arrival[job] },
    { head: "decision", text: true, value: told },
    ...optional(plain("promise", "done by slot", "promise"), "promise"),
    plain("start", "slot", "start"),
    plain("completion", "slot", "completion"),
    plain("duration", "slots", "duration"),
    plain("utility", "", "utility"),
    ...optional(plain("price", "utility", "price"), "price"),
    ...optional(plain("payoff", "utility", "payoff"), "payoff"),
    { head: "work", unit: "samples", value: (job) => data.jobs.work[job] },
    plain("workers", "worker-slots", "workerSlots"),
    plain("servers", "server-slots", "serverSlots"),
    plain("changes", "of placement", "changes"),
  ];
}

function columnsOfAll() {
  return [
    { head: "job", text: true, value: (job) => data.jobs.id[job] },
    { head: "arrival", unit: "slot", value: (job) => data.jobs.arrival[job] },
    ...policies.map((policy) => ({
      head: shown(policy), unit: "utility",
      value: (job) => data.details[policy].jobs.utility[job],
      show: (job) => utilityOrReason(data.details[policy].jobs, job),
    })),
  ];
}

function utilityOrReason(rows, job) {
  if (rows.decision[job] === "done") return number(rows.utility[job]);
  return element("span", { className: "quiet-cell" }, rows.reason[job] ?? rows.decision[job]);
}

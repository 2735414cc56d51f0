const charts = new Map();

function draw(id, height, label, options) {
  const box = byId(id);
  box.style.height = `${height}px`;
  if (!charts.has(id)) charts.set(id, echarts.init(box));
  const chart = charts.get(id);
  chart.resize();
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", label);
  chart.setOption({ ...common(), ...options, tooltip: { ...common().tooltip, ...options.tooltip } }, { notMerge: true });
  return chart;
}

function common() {
  return {
    animation: false,
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, color: styled("ink") },
    tooltip: {
      className: "tip", confine: true, transitionDuration: 0, backgroundColor: styled("card"), borderColor: styled("line"),
      textStyle: { color: styled("ink") },
    },
  };
}

const isNarrow = (id) => byId(id).clientWidth < 560;

function axis(name, extra = {}) {
  return {
    type: "value", name, nameLocation: "middle", nameGap: 28, nameTextStyle: { color: styled("soft"), fontSize: 12 },
    axisLabel: { color: styled("soft"), hideOverlap: true, formatter: rounded, ...extra.axisLabel },
    axisLine: { lineStyle: { color: styled("line") } }, axisTick: { lineStyle: { color: styled("line") } },
    splitLine: { lineStyle: { color: styled("faint") } },
    ...Object.fromEntries(Object.entries(extra).filter(([key]) => key !== "axisLabel")),
  };
}

function policyAxis(id, names) {
  const most = isNarrow(id) ? 12 : 20;
  return {
    type: "category", inverse: true, data: names.map((_, index) => index), axisTick: { show: false },
    axisLine: { lineStyle: { color: styled("line") } },
    axisLabel: {
      color: styled("ink"), interval: 0, fontSize: 13,
      formatter: (index) => shortened(names[index], most),
    },
  };
}

const byUtility = () => [...data.summaries].sort((a, b) => mean(b.utilities) - mean(a.utilities));

function drawUtility() {
  const rows = byUtility();
  const isShare = state.utility === "share";
  const values = rows.map((row) => (isShare ? ofBound(row) : row.utilities));
  const show = isShare ? percent : number;
  const bound = isShare ? 1 : mean(rows.flatMap((row) => row.bounds));
  const several = seeds > 1;
  const texts = values.map((own) => show(mean(own)) + (several ? ` \u00b1 ${show(spread(own), 2)}` : ""));
  const dots = values.flatMap((own, row) => own.filter(isNumber).map((value) => [value, row]));
  const title = (isShare ? "total utility, % of the offline bound" : "total utility") + (several ? `, mean of ${seeds} seeds` : "");
  const chart = draw("utility-chart", 32 * rows.length + (haveBounds ? 74 : 58), `${title}: ${rows.map((row, at) => `${row.policy} ${texts[at]}`).join(", ")}`, {
    grid: { left: 8, right: 8, top: haveBounds ? 26 : 10, bottom: 26, containLabel: true },
    xAxis: axis(title, { min: 0, max: (own) => Math.max(own.max, 1.01 * (bound ?? 0)), axisLabel: { formatter: isShare ? percent : rounded, showMaxLabel: false } }),
    yAxis: [
      policyAxis("utility-chart", rows.map((row) => row.policy)),
      {
        ...policyAxis("utility-chart", rows), position: "right", axisLine: { show: false },
        axisLabel: { color: styled("ink"), interval: 0, fontSize: 13, formatter: (index) => texts[index] },
      },
    ],
    tooltip: {
      trigger: "axis", axisPointer: { type: "shadow" },
      formatter: ([{ dataIndex }]) => utilityTip(rows[dataIndex]),
    },
    series: [
      {
        type: "bar", barMaxWidth: 20, data: rows.map((row, at) => ({ value: mean(values[at]) ?? 0, itemStyle: { color: colourOf(row.policy) } })),
        markLine: haveBounds && bound ? {
          symbol: "none", silent: true, lineStyle: { color: styled("ink"), type: "dashed", width: 1.5 },
          label: { formatter: isShare ? "offline bound" : `offline bound ${number(bound)}`, color: styled("ink"), position: "start", align: "right", distance: 4 },
          data: [{ xAxis: bound }],
        } : undefined,
      },
      {
        type: "scatter", symbolSize: several ? 7 : 0, data: dots, silent: true, z: 5,
        itemStyle: { color: styled("card"), borderColor: styled("ink"), borderWidth: 1, opacity: 0.9 },
      },
    ],
  });
  byId("utility-legend").replaceChildren(...(several ? [legendItem(mark("seed"), "one seed"), legendItem(patch(styled("soft")), "mean of the seeds; right: mean \u00b1 standard deviation")] : []));
  return chart;
}

function utilityTip(row) {
  const share = ofBound(row);
  const several = seeds > 1;
  return tip(row.policy, [
    tipRow(several ? "mean total utility" : "total utility", number(mean(row.utilities))),
    several && tipRow("standard deviation", number(spread(row.utilities))),
    several && tipRow("worst and best seed", `${number(Math.min(...row.utilities))} to ${number(Math.max(...row.utilities))}`),
    haveBounds && tipRow("of the offline bound", percent(mean(share))),
    tipRow("jobs done", `${row.done} of ${row.jobs}`),
  ].filter(Boolean));
}

function fates() {
  const dark = darkMode.matches;
  const reasons = [...new Set([...Object.keys(REASONS), ...data.summaries.flatMap((row) => Object.keys(row.rejections))])];
  const rejected = dark ? ["#e0a860", "#b5793a", "#82582a", "#5d4022"] : ["#7d4f22", "#b5813f", "#d9b27a", "#eed9b8"];
  const all = [
    { name: "done by its target", colour: dark ? "#c3d0df" : "#36475c", count: (row) => row.byTarget },
    { name: "done later", colour: dark ? "#8496ab" : "#7d8fa6", count: (row) => row.done - row.byTarget },
    {
      name: "not done by the horizon", colour: dark ? "#465364" : "#c5d0dc",
      count: (row) => row.jobs - row.done - Object.values(row.rejections).reduce((sum, count) => sum + count, 0),
    },
    ...reasons.map((reason, at) => ({
      name: `rejected: ${reason}`, colour: rejected[at % rejected.length], count: (row) => row.rejections[reason] ?? 0,
      meaning: REASONS[reason],
    })),
  ];
  return all.filter((fate) => data.summaries.some((row) => fate.count(row) > 0));
}

function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#10151b" : "#ffffff";
}

function drawFates() {
  const rows = byUtility();
  const kinds = fates();
  const wide = byId("fates-chart").clientWidth - 140;
  draw("fates-chart", 32 * rows.length + 56, "Share of the jobs by what became of them; the numbers are in the table of policies", {
    grid: { left: 8, right: 22, top: 8, bottom: 26, containLabel: true },
    xAxis: axis(seeds > 1 ? `jobs of all seeds, %` : "jobs, %", { min: 0, max: 1, axisLabel: { formatter: percent } }),
    yAxis: policyAxis("fates-chart", rows.map((row) => row.policy)),
    tooltip: {
      trigger: "axis", axisPointer: { type: "shadow" },
      formatter: ([{ dataIndex }]) => {
        const row = rows[dataIndex];
        return tip(row.policy, kinds.filter((kind) => kind.count(row)).map((kind) => tipRow(kind.name, `${kind.count(row)} (${percent(kind.count(row) / row.jobs)})`)));
      },
    },
    series: kinds.map((kind) => ({
      type: "bar", stack: "jobs", barMaxWidth: 20, name: kind.name,
      itemStyle: { color: kind.colour, borderColor: styled("card"), borderWidth: 1 },
      label: { show: true, color: inkOn(kind.colour), fontSize: 11, formatter: ({ value }) => (value * wide > 34 ? percent(value) : "") },
      data: rows.map((row) => (row.jobs ? kind.count(row) / row.jobs : 0)),
    })),
  });
  byId("fates-legend").replaceChildren(...kinds.map((kind) => {
    const item = legendItem(patch(kind.colour), shown(kind.name));
    if (kind.meaning) item.title = kind.meaning;
    return item;
  }));
}

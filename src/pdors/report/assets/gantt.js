/* The same shapes in the chart and in its legend. */
const MARKS = {
  arrival: { path: "M0,-5V5", words: "arrival" },
  promise: { path: "M0,-5.5L5.5,0L0,5.5L-5.5,0Z", words: "promised completion" },
  completion: { path: "M-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0", fill: true, words: "completion" },
  unfinished: { path: "M-4,-4.5L4,0L-4,4.5Z", words: "not done by the horizon" },
  rejected: { path: "M-4,-4L4,4M4,-4L-4,4", ink: "warn", words: "arrival, rejected" },
  seed: { path: "M-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0" },
};

function mark(kind) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  const { path: shape, fill, ink = "ink" } = MARKS[kind];
  const attributes = { d: shape, fill: fill ? styled(ink) : "none", stroke: styled(ink), "stroke-width": 1.6 };
  for (const [name, value] of Object.entries(attributes)) path.setAttribute(name, value);
  svg.setAttribute("viewBox", "-7 -7 14 14");
  svg.setAttribute("class", "mark");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}

const MARK_KINDS = Object.keys(MARKS);

const barsByPolicy = new Map();

function barsOf(policy) {
  if (!barsByPolicy.has(policy)) {
    const flat = data.details[policy].bars;
    const bars = [];
    for (let at = 0; at < flat.length; at += 5) bars.push(flat.slice(at, at + 5));
    barsByPolicy.set(policy, bars);
  }
  return barsByPolicy.get(policy);
}

const mostWorkers = policies.reduce((most, policy) => barsOf(policy).reduce((own, bar) => Math.max(own, bar[3]), most), 1);

function shadeOf(workers) {
  return mixed(styled("card"), colourOf(state.policy), 0.3 + 0.7 * Math.sqrt(workers / mostWorkers));
}

function marksOf(rows) {
  const marks = [];
  data.jobs.arrival.forEach((arrival, job) => {
    if (rows.decision[job] === "rejected") return void marks.push([job, arrival, "rejected"]);
    marks.push([job, arrival, "arrival"]);
    if (isNumber(rows.promise[job])) marks.push([job, rows.promise[job] + 1, "promise"]);
    if (isNumber(rows.completion[job])) marks.push([job, rows.completion[job] + 1, "completion"]);
    else marks.push([job, data.slots, "unfinished"]);
  });
  return marks;
}

function presencesOf(rows) {
  return data.jobs.arrival
    .map((arrival, job) => [job, arrival, isNumber(rows.completion[job]) ? rows.completion[job] + 1 : data.slots])
    .filter(([job]) => rows.decision[job] !== "rejected");
}

const letters = (id) => (isNarrow(id) ? 10 : 22);

/* The same for jobs and for machines, so that a slot stands over the same slot. */
function plotEdges(id) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const names = [...data.jobs.id, ...data.heat.names.map((_, bin) => machinesOf(bin))];
  const widest = names.reduce((most, name) => Math.max(most, pen.measureText(shortened(name, letters(id))).width), 0);
  return { left: Math.ceil(widest) + 36, right: data.jobs.id.length > 30 ? 44 : 20 };
}

const rowHeight = (api) => api.size([0, 1])[1];

function strip(api, share, style) {
  const [job, from, to] = [0, 1, 2].map((at) => api.value(at));
  const [left, y] = api.coord([from, job]);
  const width = Math.max(1, api.coord([to, job])[0] - left);
  const height = Math.max(1, share * rowHeight(api));
  return { type: "rect", silent: true, shape: { x: left, y: y - height / 2, width, height }, style };
}

let slotUnderPointer = null;

function drawGantt() {
  const detail = data.details[state.policy];
  const count = data.jobs.id.length;
  const height = Math.min(760, Math.max(150, 16 * count + 80));
  const rows = detail.jobs;
  const shades = new Map();
  const shade = (workers) => shades.get(workers) ?? shades.set(workers, shadeOf(workers)).get(workers);
  const inks = { ink: styled("ink"), warn: styled("warn"), soft: styled("soft"), faint: styled("faint") };
  const canZoomRows = count > 30;
  const canZoomTime = data.slots > 120;
  const edges = plotEdges("gantt-chart");
  const series = (name, extra) => ({ type: "custom", name, silent: true, encode: { x: [1, 2], y: 0 }, clip: true, ...extra });
  const chart = draw("gantt-chart", height, `Gantt chart of ${plural(count, "job")} with ${state.policy}; the table of jobs below has the same in words`, {
    grid: { ...edges, top: 8, bottom: canZoomTime ? 76 : 46 },
    xAxis: axis(slotTitle, { min: 0, max: data.slots }),
    yAxis: {
      type: "category", inverse: true, data: data.jobs.id.map((_, job) => job), axisTick: { show: false },
      axisLine: { lineStyle: { color: styled("line") } }, name: "jobs in order of arrival", nameLocation: "middle",
      nameGap: edges.left - 18, nameTextStyle: { color: styled("soft"), fontSize: 12 },
      axisLabel: {
        color: styled("soft"), fontSize: 11, interval: everyFew(count, height - 54, state.rows),
        formatter: (job) => shortened(data.jobs.id[job] ?? "", letters("gantt-chart")),
      },
    },
    dataZoom: [
      canZoomRows && slider({ yAxisIndex: 0, orient: "vertical", right: 8, width: 18, top: 8, bottom: canZoomTime ? 76 : 46 }, state.rows),
      canZoomTime && slider({ xAxisIndex: 0, orient: "horizontal", bottom: 8, height: 18, ...edges }, state.time),
    ].filter(Boolean),
    tooltip: { trigger: "item", formatter: ({ dataIndex }) => jobTip(dataIndex) },
    series: [
      series("rows", {
        silent: false, data: data.jobs.id.map((_, job) => [job, 0, data.slots]), z: 1,
        renderItem: (params, api) => {
          const { x, width } = params.coordSys;
          const y = api.coord([0, api.value(0)])[1];
          const high = Math.max(1, rowHeight(api));
          return {
            type: "rect", shape: { x, y: y - high / 2, width, height: high }, style: { fill: "transparent" },
            emphasis: { style: { fill: inks.faint } },
          };
        },
      }),
      series("presence", {
        data: presencesOf(rows), z: 2,
        renderItem: (_, api) => strip(api, rowHeight(api) > 6 ? 1.5 / rowHeight(api) : 0.2, { fill: inks.soft, opacity: 0.55 }),
      }),
      series("workers", {
        data: barsOf(state.policy), z: 3,
        renderItem: (_, api) => strip(api, rowHeight(api) > 4 ? 0.76 : 1, { fill: shade(api.value(3)) }),
      }),
      series("marks", {
        data: marksOf(rows).map(([job, slot, kind]) => [job, slot, MARK_KINDS.indexOf(kind)]), z: 4, clip: false, encode: { x: 1, y: 0 },
        renderItem: (_, api) => {
          const [x, y] = api.coord([api.value(1), api.value(0)]);
          const { path, fill, ink = "ink" } = MARKS[MARK_KINDS[api.value(2)]];
          const scale = Math.min(1, Math.max(0.28, rowHeight(api) / 12));
          return {
            type: "path", x, y, scaleX: scale, scaleY: scale, silent: true, shape: { pathData: path },
            style: { fill: fill ? inks[ink] : "none", stroke: inks[ink], lineWidth: scale > 0.6 ? 1.4 : 1, strokeNoScale: true },
          };
        },
      }),
    ],
  });
  chart.off("datazoom", rememberZoom);
  chart.on("datazoom", rememberZoom);
  chart.getZr().off("mousemove", notePointer);
  chart.getZr().on("mousemove", notePointer);
  drawGanttWords(rows, detail.joined);
  drawZoomTools(chart, canZoomRows, canZoomTime);
}

function notePointer({ offsetX }) {
  slotUnderPointer = Math.floor(charts.get("gantt-chart").convertFromPixel({ xAxisIndex: 0 }, offsetX));
}

/* Whether the label of a row is shown, so that none touches the next one. */
function everyFew(count, height, [start, end]) {
  const visible = Math.max(1, (count * (end - start)) / 100);
  const step = Math.max(1, Math.ceil((15 * visible) / height));
  return (index) => index % step === 0;
}

function slider(place, [start, end]) {
  return {
    type: "slider", filterMode: "weakFilter", start, end, brushSelect: false, showDetail: false, showDataShadow: false,
    borderColor: styled("line"), backgroundColor: "transparent", fillerColor: mixed(styled("card"), styled("accent"), 0.25) + "88",
    handleStyle: { color: styled("card"), borderColor: styled("soft") }, moveHandleSize: 0, ...place,
  };
}

function rememberZoom() {
  const chart = charts.get("gantt-chart");
  for (const zoom of chart.getOption().dataZoom) {
    state[zoom.orient === "vertical" ? "rows" : "time"] = [zoom.start, zoom.end];
  }
  const interval = everyFew(data.jobs.id.length, chart.getHeight() - 54, state.rows);
  chart.setOption({ yAxis: { axisLabel: { interval } } });
}

/* For the keyboard, and for fingers: closer, farther, back, on. */
function drawZoomTools(chart, rows, time) {
  const groups = [];
  const group = (title, what, index) => {
    const change = (factor, shift) => () => {
      const [start, end] = state[what];
      const width = Math.min(100, Math.max(2, (end - start) * factor));
      const from = Math.min(100 - width, Math.max(0, (start + end - width) / 2 + shift * width));
      chart.dispatchAction({ type: "dataZoom", dataZoomIndex: index, start: from, end: from + width });
    };
    const [back, on] = what === "rows" ? ["\u2191", "\u2193"] : ["\u2190", "\u2192"];
    const words = what === "rows" ? ["fewer jobs", "more jobs", "earlier jobs", "later jobs"] : ["fewer slots", "more slots", "earlier slots", "later slots"];
    groups.push(element("span", { className: "group" }, title,
      toolButton("+", words[0], change(0.5, 0)), toolButton("\u2212", words[1], change(2, 0)),
      toolButton(back, words[2], change(1, -0.5)), toolButton(on, words[3], change(1, 0.5))));
  };
  if (rows) group("Jobs", "rows", 0);
  if (time) group("Slots", "time", rows ? 1 : 0);
  if (!byId("gantt-tools").childElementCount) byId("gantt-tools").replaceChildren(...groups);
}

function drawGanttWords(rows, joined) {
  const kinds = ["arrival", "promise", "completion", "unfinished", "rejected"];
  const present = new Set(marksOf(rows).map(([, , kind]) => kind));
  const steps = [1, mostWorkers / 4, mostWorkers / 2, (3 * mostWorkers) / 4, mostWorkers];
  byId("gantt-legend").replaceChildren(
    ramp(steps.map(shadeOf), "holds 1", mostWorkers > 1 ? `${mostWorkers} workers` : "worker"),
    legendItem(patch(mixed(styled("card"), styled("soft"), 0.55)), "admitted, holds none"),
    ...kinds.filter((kind) => present.has(kind)).map((kind) => legendItem(mark(kind), MARKS[kind].words)),
  );
  byId("gantt-note").textContent = joined ? "So many changes cannot be drawn: each bar shows the mean number of workers over slots without a gap." : "";
  const rejected = new Map();
  rows.reason.forEach((reason, job) => reason && rejected.set(reason, [...(rejected.get(reason) ?? []), job]));
  const count = [...rejected.values()].flat().length;
  byId("rejected").hidden = count === 0;
  byId("rejected").querySelector("summary").textContent = `${plural(count, "job")} rejected`;
  byId("rejected").querySelector("div").replaceChildren(...[...rejected].flatMap(([reason, jobs]) => [
    element("p", {}, element("b", {}, `${reason} (${jobs.length})`), REASONS[reason] ? `: ${REASONS[reason]}` : ""),
    element("ul", {}, ...jobs.map((job) => element("li", { title: `${shown(data.jobs.id[job])}, arrived in slot ${data.jobs.arrival[job]}` }, shortened(data.jobs.id[job], 34)))),
  ]));
}

function jobTip(job) {
  const rows = data.details[state.policy].jobs;
  const own = (label, name, unit = "") => (isNumber(rows[name][job]) ? tipRow(label, `${unit}${number(rows[name][job])}`) : null);
  const held = barsOf(state.policy).find(([of, start, stop]) => of === job && start <= slotUnderPointer && slotUnderPointer < stop);
  const decision = rows.reason[job] ? `rejected: ${rows.reason[job]}` : rows.decision[job];
  return tip(data.jobs.id[job], [
    tipRow("decision", decision),
    tipRow("arrival", `slot ${data.jobs.arrival[job]}`),
    own("promised completion", "promise", "slot "),
    own("completion", "completion", "slot "),
    own("duration, slots", "duration"),
    own("utility", "utility"),
    own("price", "price"),
    own("payoff", "payoff"),
    held && tipRow(`in slot ${slotUnderPointer}`, plural(held[3], "worker") + (held[4] ? ` + ${plural(held[4], "server")}` : "")),
  ]);
}

/* From empty to full; both end in the colour that stands out most from the ground. */
const HEAT_LIGHT = ["#f1f4f7", "#c7e3d2", "#7fc6bf", "#3a93b8", "#275a9b", "#14225e"];
const HEAT_DARK = ["#1d242c", "#27406f", "#2a6f93", "#3fa39a", "#8fd08a", "#f4f7a8"];

function heatColours() {
  return darkMode.matches ? HEAT_DARK : HEAT_LIGHT;
}

/* [machine bin, from slot, to slot, share]: neighbours in time that are equally full are one. */
function heatStrips(policy) {
  const bytes = atob(data.details[policy].heat);
  const { machines, slots, full } = data.heat;
  const columns = slots.length - 1;
  const strips = [];
  for (let row = 0; row < machines.length - 1; row += 1) {
    for (let column = 0, next; column < columns; column = next) {
      const level = bytes.charCodeAt(row * columns + column);
      for (next = column + 1; next < columns && bytes.charCodeAt(row * columns + next) === level; next += 1);
      strips.push([row, slots[column], slots[next], level / full]);
    }
  }
  return strips;
}

function machinesOf(bin) {
  const [first, last] = data.heat.names[bin].map(shown);
  return first === last ? first : `${first} \u2013 ${last}`;
}

function slotsFrom(first, stop) {
  const last = stop - 1;
  return first === last ? `slot ${first}` : `slots ${first} \u2013 ${last}`;
}

function shadeOfShare(colours, share) {
  const at = Math.min(colours.length - 2, Math.floor(share * (colours.length - 1)));
  return mixed(colours[at], colours[at + 1], share * (colours.length - 1) - at);
}

function drawHeat() {
  const { machines, slots, names, full } = data.heat;
  const colours = heatColours();
  const shades = Array.from({ length: full + 1 }, (_, level) => shadeOfShare(colours, level / full));
  const edges = plotEdges("heat-chart");
  const bins = names.length;
  const height = Math.min(520, Math.max(40, (bins > 60 ? 4 : 14) * bins)) + 54;
  draw("heat-chart", height, `Share in use of each machine over time with ${state.policy}`, {
    grid: { ...edges, top: 6, bottom: 48 },
    xAxis: axis(slotTitle, { min: 0, max: data.slots, splitLine: { show: false } }),
    yAxis: {
      ...axis("machine"), type: "category", inverse: true, nameGap: edges.left - 18, data: names.map((_, bin) => bin),
      splitLine: { show: false }, axisTick: { show: false },
      axisLabel: { color: styled("soft"), fontSize: 11, interval: everyFew(bins, height - 54, [0, 100]), formatter: (bin) => shortened(machinesOf(bin), letters("heat-chart")) },
    },
    tooltip: {
      trigger: "item",
      formatter: ({ value: [machine, from, to, share] }) => tip(machinesOf(machine), [tipRow(slotsFrom(from, to), percent(share))]),
    },
    series: [{
      type: "custom", encode: { x: [1, 2], y: 0 }, data: heatStrips(state.policy), progressive: 20000, clip: true,
      renderItem: (_, api) => {
        const [left, middle] = api.coord([api.value(1), api.value(0)]);
        const right = api.coord([api.value(2), api.value(0)])[0];
        const half = rowHeight(api) / 2;
        // On whole pixels there are no seams.
        const [x, y, toX, toY] = [left, middle - half, right, middle + half].map(Math.round);
        return {
          type: "rect", shape: { x, y, width: toX - x, height: toY - y }, style: { fill: shades[Math.round(api.value(3) * full)] },
          emphasis: { style: { stroke: "#ff9f1c", lineWidth: 2 } },
        };
      },
    }],
  });
  const [machineBin, slotBin] = [machines, slots].map((own) => Math.max(...own.slice(1).map((edge, at) => edge - own[at])));
  const binned = [machineBin > 1 && plural(machineBin, "machine"), slotBin > 1 && plural(slotBin, "slot")].filter(Boolean);
  byId("heat-legend").replaceChildren(
    element("span", {}, "share of the scarcest resource of each machine in use"),
    ramp(colours, "0 %", "100 %"),
    binned.length ? element("span", {}, `a cell is the mean of up to ${binned.join(" and ")}`) : "",
  );
}

/**
 * Builds Grafana's JSON from the description of a dashboard: rows of panels, each with a title, a
 * unit and queries.
 */

export type Query = readonly [expr: string, legend: string];

export type Panel = {
  title: string;
  /** What it shows and when to act. */
  about: string;
  kind?: 'timeseries' | 'stat' | 'table' | 'bargauge';
  /** Grafana's name of the unit. */
  unit: string;
  queries: readonly Query[];
  /** Yellow from the first value on, red from the second. If the second is lower, less is worse. */
  thresholds?: readonly [warning: number, critical: number];
  /** In columns; a row has 24. */
  width?: 4 | 6 | 8 | 12 | 24;
  stacked?: boolean;
  /** Upper end of the axis. */
  max?: number;
};

export type Dashboard = {
  uid: string;
  title: string;
  about: string;
  rows: Readonly<Record<string, readonly Panel[]>>;
};

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 24;

export function grafanaDashboard({ uid, title, about, rows }: Dashboard): object {
  let id = 0;
  let y = 0;
  const panels = Object.entries(rows).flatMap(([name, row]) => {
    const heading = {
      id: ++id,
      type: 'row',
      title: name,
      collapsed: false,
      gridPos: { x: 0, y: y++, w: COLUMNS, h: 1 },
      panels: [],
    };
    let x = 0;
    let tallest = 0;
    const placed = row.map((panel) => {
      const [w, h] = [panel.width ?? 12, panel.kind === 'stat' ? 4 : 8];
      if (x + w > COLUMNS) [x, y, tallest] = [0, y + tallest, 0];
      const gridPos = { x, y, w, h };
      [x, tallest] = [x + w, Math.max(tallest, h)];
      return { id: ++id, gridPos, ...grafanaPanel(panel) };
    });
    y += tallest;
    return [heading, ...placed];
  });
  return {
    uid,
    title,
    description: about,
    tags: ['inlet'],
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    schemaVersion: 39,
    version: 1,
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    links: [
      {
        type: 'dashboards',
        title: 'Inlet',
        tags: ['inlet'],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    templating: {
      list: [
        {
          name: 'datasource',
          label: 'Prometheus',
          type: 'datasource',
          query: 'prometheus',
          current: {},
          hide: 0,
          includeAll: false,
          multi: false,
        },
        {
          name: 'namespace',
          label: 'Namespace',
          type: 'query',
          datasource: DATASOURCE,
          definition: 'label_values(inlet_build_info, namespace)',
          query: { query: 'label_values(inlet_build_info, namespace)', refId: 'namespace' },
          refresh: 2,
          sort: 1,
          includeAll: true,
          allValue: '.*',
          multi: false,
          current: { text: 'All', value: '$__all' },
          hide: 0,
        },
      ],
    },
    panels,
  };
}

function grafanaPanel({
  title,
  about,
  kind = 'timeseries',
  unit,
  queries,
  thresholds,
  stacked = false,
  max,
}: Panel): object {
  const isInstant = kind === 'table' || kind === 'bargauge';
  const targets = queries.map(([expr, legendFormat], i) => ({
    refId: String.fromCodePoint(65 + i),
    datasource: DATASOURCE,
    expr,
    legendFormat,
    ...(isInstant
      ? { instant: true, range: false, format: kind === 'table' ? 'table' : 'time_series' }
      : { range: true }),
  }));
  const custom =
    kind === 'timeseries'
      ? {
          custom: {
            drawStyle: 'line',
            fillOpacity: stacked ? 30 : 8,
            lineWidth: 1,
            showPoints: 'never',
            stacking: { mode: stacked ? 'normal' : 'none', group: 'A' },
            thresholdsStyle: { mode: thresholds ? 'line' : 'off' },
          },
        }
      : {};
  return {
    type: kind,
    title,
    description: about,
    datasource: DATASOURCE,
    targets,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        ...(max !== undefined && { max }),
        thresholds: stepsOf(thresholds),
        color: { mode: kind === 'timeseries' ? 'palette-classic' : 'thresholds' },
        ...custom,
      },
      overrides: [],
    },
    options: OPTIONS[kind],
    ...(kind === 'table' && {
      transformations: [{ id: 'organize', options: { excludeByName: { Time: true } } }],
    }),
  };
}

const OPTIONS = {
  timeseries: {
    legend: {
      displayMode: 'table',
      placement: 'bottom',
      calcs: ['lastNotNull', 'max'],
      showLegend: true,
    },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  stat: {
    reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
    colorMode: 'value',
    graphMode: 'area',
    textMode: 'auto',
    orientation: 'auto',
  },
  table: { showHeader: true, cellHeight: 'sm' },
  bargauge: {
    reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
    orientation: 'horizontal',
    displayMode: 'basic',
    showUnfilled: true,
  },
};

function stepsOf(thresholds: Panel['thresholds']): object {
  if (thresholds === undefined)
    return { mode: 'absolute', steps: [{ color: 'green', value: null }] };
  const [warning, critical] = thresholds;
  const steps =
    critical >= warning
      ? [
          { color: 'green', value: null },
          { color: 'yellow', value: warning },
          { color: 'red', value: critical },
        ]
      : [
          { color: 'red', value: null },
          { color: 'yellow', value: critical },
          { color: 'green', value: warning },
        ];
  return { mode: 'absolute', steps };
}

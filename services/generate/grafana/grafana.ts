/**
 * Builds Grafana's JSON from the description of a dashboard: rows of panels, each with a title, a
 * unit and queries.
 */

export type Query = readonly [expr: string, legend: string];

export type Panel = {
  title: string;
  /** What it shows and when to act. */
  about: string;
  /** Why it has no data, on an installation where all is well. Absent: only without events. */
  emptyWhen?: string;
  kind?: 'timeseries' | 'stat' | 'table' | 'bargauge';
  /** Grafana's name of the unit. */
  unit: string;
  queries: readonly Query[];
  /** Yellow from the first value on, red from the second. If the second is lower, less is worse. */
  thresholds?: readonly [warning: number, critical: number];
  /** In columns; a row has 24. By default the panels of a row share them. */
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
  /** What can be chosen in addition to the namespace. */
  chooses: 'pod' | 'account';
  /** The dashboard to look at after this one. */
  next: { uid: string; title: string };
};

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 24;
/** Also what a rate or a quantile says of a time range in which nothing has happened. */
const NO_EVENTS = 'nothing of this kind has happened in this time range';

type Annotation = { name: string; color: string; expr: string; title: string; text: string };

/** Alerts that need somebody. */
export const FIRING =
  'ALERTS{alertname=~"Inlet.*", alertstate="firing", severity!="info", namespace=~"$namespace"}';

/** Marks on the time axis of every panel. */
export const ANNOTATIONS: readonly Annotation[] = [
  {
    name: 'Alerts',
    color: 'red',
    expr: FIRING,
    title: '{{alertname}}',
    text: '{{severity}}',
  },
  {
    name: 'Rollouts and restarts',
    color: 'blue',
    expr:
      'sum by (component, version) (inlet_build_info{namespace=~"$namespace"} ' +
      'and on (job, instance) (time() - process_start_time_seconds < 120))',
    title: '{{component}} {{version}}',
    text: 'processes that started',
  },
];

const annotation = ({ name, color, expr, title, text }: Annotation) => ({
  name,
  datasource: DATASOURCE,
  enable: true,
  hide: false,
  iconColor: color,
  expr,
  step: '60s',
  titleFormat: title,
  textFormat: text,
});

const datasource = (name: string, label: string, query: string) => ({
  name,
  label,
  type: 'datasource',
  query,
  current: {},
  hide: 0,
  includeAll: false,
  multi: false,
});

const ALL = { includeAll: true, allValue: '.*', current: { text: 'All', value: '$__all' } };
/** The first value, if the URL names none. */
const ONE = { includeAll: false, current: {} };

/** A variable with the values of the label of its name. */
function chooser(name: string, label: string, series: string, choice = ALL as object): object {
  const query = `label_values(${series}, ${name})`;
  return {
    name,
    label,
    type: 'query',
    datasource: DATASOURCE,
    definition: query,
    query: { query, refId: name },
    refresh: 2,
    sort: 1,
    ...choice,
    multi: false,
    hide: 0,
  };
}

const INHERIT = { includeVars: true, keepTime: true };

const linksOf = (chooses: Dashboard['chooses'], { uid, title }: Dashboard['next']): object[] => [
  { type: 'link', icon: 'dashboard', title: `Next: ${title}`, url: `/d/${uid}`, ...INHERIT },
  { type: 'link', icon: 'doc', title: 'Logs', url: logsUrl(chooses), targetBlank: true },
  { type: 'dashboards', title: 'Inlet', tags: ['inlet'], asDropdown: true, ...INHERIT },
];

/** Explore of Grafana with the logs of the chosen pods in Loki. Grafana inserts the variables. */
function logsUrl(chooses: Dashboard['chooses']): string {
  const pods = chooses === 'pod' ? ', pod=~"${pod}"' : '';
  const panes = {
    inlet: {
      datasource: '${logs}',
      queries: [
        {
          refId: 'A',
          expr: `{namespace=~"\${namespace}", container=~"gateway|dispatcher|api|operator"${pods}}`,
        },
      ],
      range: { from: '${__from}', to: '${__to}' },
    },
  };
  const encoded = encodeURIComponent(JSON.stringify(panes)).replaceAll(
    /%24%7B(\w+)%7D/g,
    '${$1:percentencode}',
  );
  return `/explore?schemaVersion=1&panes=${encoded}`;
}

export function grafanaDashboard(dashboard: Dashboard): object {
  const { uid, title, about, rows, chooses, next } = dashboard;
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
      const [w, h] = [panel.width ?? COLUMNS / row.length, panel.kind === 'stat' ? 4 : 8];
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
    annotations: { list: ANNOTATIONS.map(annotation) },
    links: linksOf(chooses, next),
    templating: {
      list: [
        datasource('datasource', 'Prometheus', 'prometheus'),
        chooser('namespace', 'Namespace', 'inlet_build_info', ONE), // a release has a namespace of its own
        chooses === 'pod'
          ? chooser('pod', 'Pod', 'inlet_build_info{namespace=~"$namespace"}')
          : chooser('account', 'Account', 'inlet_account_mails_total{namespace=~"$namespace"}'),
        datasource('logs', 'Logs', 'loki'),
      ],
    },
    panels,
  };
}

function grafanaPanel({
  title,
  about,
  emptyWhen,
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
    description: emptyWhen === undefined ? about : `${about} Empty when ${emptyWhen}.`,
    datasource: DATASOURCE,
    targets,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        noValue: `No data: ${emptyWhen ?? NO_EVENTS}`,
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

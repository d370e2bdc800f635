/** The rule files of the chart, from the table of alerts. */
import { SLO_ALERTS, SLO_RECORDS } from './slo.ts';
import type { Alert, Rule } from './alert.ts';
import { DELIVERY } from './delivery.ts';
import { PROCESSES } from './processes.ts';
import { RECEIVING } from './receiving.ts';
import { STORAGE } from './storage.ts';

/** By the heading in docs/monitoring.md. */
export const ALERTS: Readonly<Record<string, readonly Alert[]>> = {
  Processes: PROCESSES,
  Receiving: RECEIVING,
  Delivery: DELIVERY,
  Storage: STORAGE,
  Objectives: SLO_ALERTS,
};

const METRIC = /\b((?:inlet[_:]|nodejs_|process_|kubelet_)[a-z0-9_:]+|up(?= ))(\{)?/g;

/** The chart replaces this matcher by the namespace of the release. */
const inNamespace = (expr: string): string =>
  expr
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(
      METRIC,
      (_, metric: string, labels?: string) =>
        `${metric}{namespace=~".*"${labels === undefined ? '}' : ', '}`,
    );

const ruleOf = ({ name, dashboard }: Alert, rule: Rule) => ({
  alert: name,
  expr: inNamespace(rule.expr),
  ...(rule.for !== undefined && { for: rule.for }),
  labels: {
    severity: rule.severity,
    ...(rule.cause !== undefined && { cause: rule.cause }),
  },
  annotations: {
    summary: rule.summary ?? rule.when,
    description: rule.means,
    runbook_url: `http://127.0.0.1:8080/docs/runbooks/${name}`,
    dashboard_url: `http://127.0.0.1:3000/d/${dashboard}?var-namespace={{ $labels.namespace }}`,
  },
});

const rulesOf = (alerts: readonly Alert[]) =>
  alerts.flatMap((alert) => alert.rules.map((rule) => ruleOf(alert, rule)));

/** The groups of each file in charts/inlet/files/alerts. */
export const RULE_FILES = {
  'inlet.yaml': {
    groups: Object.entries(ALERTS)
      .filter(([title]) => title !== 'Objectives')
      .map(([title, alerts]) => ({
        name: `inlet-${title.toLowerCase()}`,
        rules: rulesOf(alerts),
      })),
  },
  'slo.yaml': {
    groups: [
      {
        name: 'inlet-slo-shares',
        rules: SLO_RECORDS.map(({ record, expr }) => ({ record, expr: inNamespace(expr) })),
      },
      { name: 'inlet-slo', rules: rulesOf(SLO_ALERTS) },
    ],
  },
};

/**
 * What the table of alerts holds. The rule files, the heads of the runbooks and the list in
 * docs/monitoring.md are made from it by `npm run golden`.
 */
export type Rule = {
  /** Tells the rules of an alert apart, as a label. */
  cause?: string;
  severity: 'critical' | 'warning' | 'info';
  for?: string;
  /** PromQL. The generator limits each metric to a namespace. */
  expr: string;
  /** The condition in words, without the time of `for`. */
  when: string;
  /** The condition with its figures, for a notification. Default: `when`. */
  summary?: string;
  means: string;
};

/** States that ask for the same action are rules of one alert, with one runbook. */
export type Alert = {
  name: `Inlet${string}`;
  dashboard: 'inlet-overview' | 'inlet-gateway' | 'inlet-delivery';
  users: string;
  rules: readonly Rule[];
};

/** The table of docs/monitoring.md, from the metrics that the services register. */
import { type Metric, metricsOf, SERVICES } from './metric-names.ts';

export function metricsTable(): string {
  const metrics = SERVICES.flatMap(metricsOf);
  const names = [...new Set(metrics.map(({ name }) => name))];
  const rows = names.map((name) => {
    const same = metrics.filter((metric) => metric.name === name);
    const { labels, type, help } = same[0] as Metric;
    const services = same.map(({ service }) => service);
    const selector = labels.length > 0 ? `${name}{${labels.join(',')}}` : name;
    const reporters = services.length === SERVICES.length ? 'all' : services.join(', ');
    return `| \`${selector}\` | ${type} | ${reporters} | ${help} |`;
  });
  return ['| metric | type | reported by | meaning |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

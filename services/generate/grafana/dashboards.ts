/**
 * The four dashboards. `npm run golden` writes them to charts/inlet/files/dashboards.
 * observability.test.ts sends every query to a real Prometheus.
 */
import { delivery } from './delivery.ts';
import { gateway } from './gateway.ts';
import type { Dashboard } from './grafana.ts';
import { overview } from './overview.ts';
import { tenants } from './tenants.ts';

export const DASHBOARDS: Readonly<Record<string, Dashboard>> = {
  overview,
  delivery,
  gateway,
  tenants,
};

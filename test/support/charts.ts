/** The folders of the custom resource definitions and of the charts. */
import { join } from 'node:path';

const CHECKOUT = join(import.meta.dirname, '..', '..');
export const CHART = join(CHECKOUT, 'charts', 'inlet');
export const CRD_CHART = join(CHECKOUT, 'charts', 'inlet-crds');
/** For `kubectl apply -f crds/`. Helm reads nothing outside a chart, so each chart has a copy. */
export const CRDS = join(CHECKOUT, 'crds');
export const CRD_COPIES = [CHART, CRD_CHART].map((chart) => join(chart, 'files', 'crds'));

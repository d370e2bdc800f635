/** The folders of the charts. */
import { join } from 'node:path';

const CHARTS = join(import.meta.dirname, '..', '..', 'charts');
export const CHART = join(CHARTS, 'inlet');
export const CRD_CHART = join(CHARTS, 'inlet-crds');
/** The custom resource definitions, as files. */
export const CRDS = join(CRD_CHART, 'files', 'crds');

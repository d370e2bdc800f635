/** DMARC and TLS reports about a domain, in the records of the emails that brought them. */
import type { Db } from 'mongodb';

import type { AccountScope } from '../../../core/address/scope.ts';
import {
  type RecordedReport,
  REPORTS_READ_MAX,
} from '../../../core/deliverability/domain-reports.ts';
import { firstIdAt } from '../../../core/ids.ts';
import { BY_REPORT, DELIVERIES, type DeliveryDocument } from '../documents/delivery-documents.ts';

export type DeliveryReports = {
  /** The newest first, received at this time or later; at most {@link REPORTS_READ_MAX}. */
  reportsAbout(scope: AccountScope, domain: string, since: Date): Promise<RecordedReport[]>;
};

export const createDeliveryReports = (db: Db): DeliveryReports => ({
  reportsAbout: async function reportsAboutDomain({ account_id, environment }, domain, since) {
    const found = await db
      .collection<DeliveryDocument>(DELIVERIES)
      .find(
        {
          account_id,
          environment,
          'report.domain': domain,
          _id: { $gte: firstIdAt('evt', since) },
        },
        { projection: { report: 1, 'verdict.dmarc': 1 } },
      )
      .sort({ _id: -1 })
      .limit(REPORTS_READ_MAX)
      .hint(BY_REPORT)
      .toArray();
    return found.flatMap(({ report, verdict }) =>
      report ? [{ report, isAuthenticated: verdict?.dmarc === 'pass' }] : [],
    );
  },
});

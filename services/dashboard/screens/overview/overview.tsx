/** Overview: how much arrived and was delivered, what fails, what is due next. */
import { useEffect, useRef } from 'preact/hooks';

import { useLive } from '../../session/live.ts';
import { useResource } from '../../client/resource.ts';
import { screenUrl } from '../../browser/router.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { QuotaNotice } from '../../parts/quota-notice.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Loaded } from '../../parts/states.tsx';
import { overviewText } from '../../strings/overview.ts';
import { EmailsCard } from './emails-card.tsx';
import { FailingCard } from './failing-card.tsx';
import { FirstSteps } from './first-steps.tsx';
import { loadOverview, type Period } from './load-overview.ts';
import { Numbers } from './numbers.tsx';

/** A busy account has many events a second: the numbers follow at this pace. */
const RELOAD_PAUSE_MS = 3_000;

export function OverviewScreen() {
  const period: Period = screenUrl.value.query.get('period') === 'month' ? 'month' : 'day';
  const resource = useResource(period, (signal) => loadOverview(period, signal));
  useReloadOnEvents(resource.reload);
  return (
    <>
      <PageHead title={overviewText.title}>
        {resource.data?.isNew === false && (
          <Segments
            label={overviewText.period}
            field="period"
            choices={[
              ['', overviewText.periods.day],
              ['month', overviewText.periods.month],
            ]}
          />
        )}
      </PageHead>
      <Loaded resource={resource} rows={8}>
        {({ usage, quota, counts, refused, due, failing, recent, failed, isNew }) => (
          <div class="stack">
            <QuotaNotice quota={quota} />
            {isNew ? (
              <FirstSteps />
            ) : (
              <>
                {usage && <Numbers {...{ period, usage, counts, refused }} />}
                <div class="overview-columns">
                  {failing && <FailingCard failing={failing} />}
                  {due && <EmailsCard {...overviewText.dueEmails} emails={due} isDue />}
                  {recent && <EmailsCard {...overviewText.recentEmails} emails={recent} />}
                  {failed && <EmailsCard {...overviewText.failedEmails} emails={failed} />}
                </div>
              </>
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}

function useReloadOnEvents(reload: () => void): void {
  const timer = useRef<number | undefined>(undefined);
  useLive(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      reload();
    }, RELOAD_PAUSE_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}

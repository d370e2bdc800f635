/** Texts of the bulk replay. */
export const replayText = {
  open: 'Replay many',
  title: 'Replay many emails',
  status: 'Which emails',
  statuses: {
    failed: 'Failed ones',
    retrying: 'Those that wait for a retry: make them due now',
    delivered: 'Delivered ones',
    held: 'Held ones: release them',
    dropped: 'Dropped ones: release them',
  },
  address: 'Address',
  anyAddress: 'All addresses',
  search: 'Search',
  from: 'Received from',
  until: 'Received until',
  hint:
    'They are delivered again one after another, oldest first, with the present URL and secret ' +
    'of their address. The event_id stays the same, so that receivers can ignore what they have.',
  keptFor: (kept: string, promised: string) =>
    `Storage ran out, so delivered emails of the last ${kept} hours can be replayed, not of ${promised}.`,
  counting: 'Counting the emails …',
  matches: (count: string) => `Emails that match: ${count}.`,
  start: 'Replay',
  running: (queued: string, of: string) => `Replaying: ${queued} of ${of} are due so far.`,
  leave: 'You can leave this page. The replay continues while the dashboard is open.',
  done: (queued: string, skipped: string) => `${queued} emails are due again, ${skipped} skipped.`,
  noLongerKept: (count: string) => `${count} are no longer stored.`,
  underWay: (count: string) => `${count} were already in flight.`,
  failed: (problem: string, queued: string, of: string) =>
    `The replay stopped: ${problem}. ${queued} of ${of} are due.`,
  stopped: (queued: string, of: string) => `You stopped the replay. ${queued} of ${of} are due.`,
  stop: 'Stop',
  continue: 'Continue',
  dismiss: 'Dismiss',
};

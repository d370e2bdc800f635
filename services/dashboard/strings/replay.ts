/** Texts of the bulk replay. */
export const replayText = {
  open: 'Replay many',
  title: 'Replay many emails',
  status: 'Which emails',
  statuses: {
    failed: 'Failed ones',
    retrying: 'Those that wait for a retry: make them due now',
    delivered: 'Delivered ones',
  },
  address: 'Address',
  anyAddress: 'All addresses',
  from: 'Received from',
  until: 'Received until',
  hint:
    'They are delivered again one after another, oldest first, with the present URL and secret ' +
    'of their address. The event_id stays the same, so that receivers can ignore what they have.',
  start: 'Replay',
  running: (queued: string) => `Replaying: ${queued} are due so far.`,
  leave: 'You can leave this page. The replay continues while the dashboard is open.',
  done: (queued: string, skipped: string) => `${queued} emails are due again, ${skipped} skipped.`,
  noLongerKept: (count: string) => `${count} are no longer stored.`,
  underWay: (count: string) => `${count} were already in flight.`,
  failed: 'The replay stopped:',
  stop: 'Stop',
  stopped: 'stopped',
  dismiss: 'Dismiss',
};

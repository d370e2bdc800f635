/** Whether events arrive. Lists reload when the stream is back after a gap. */
import { signal } from '@preact/signals';

export const isLive = signal(false);

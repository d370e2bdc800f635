/** Refuses receivers whose mode does not fit the rest of them. */
import type { WebhookSettings } from '../../core/receiver/webhook-settings.ts';
import { hasNoTarget, modeFault } from '../../core/receiver/webhook-mode.ts';
import { AppError } from '../../core/error/app-error.ts';

/** @throws AppError `validation_failed` for a format that only a POST has */
export function requireFittingFormat(
  receiver: Partial<Pick<WebhookSettings, 'mode' | 'format'>>,
): void {
  const fault = modeFault(receiver);
  if (fault)
    throw new AppError(
      'validation_failed',
      'A receiver with the mode pull gets the payload of Inlet: its format must be inlet or cloudevents',
      { details: fault },
    );
}

/** @throws AppError `validation_failed` also for a further receiver that has neither a URL nor asks */
export function requireWorkingMode(
  receiver: { url: string | null } & Partial<Pick<WebhookSettings, 'mode' | 'format'>>,
): void {
  requireFittingFormat(receiver);
  if (hasNoTarget({ webhook_url: receiver.url, mode: receiver.mode }))
    throw new AppError(
      'validation_failed',
      'A further receiver needs a url, unless its mode is pull',
      { details: { field: 'url', code: 'required' } },
    );
}

/** What can be done with an email: retry now, cancel, replay, release, drop, erase. */
import { call } from '../../client/api.ts';
import type { Delivery } from '../../../core/api/api-types.generated.ts';
import { isWithheld } from '../../../core/api/withheld.ts';
import { useShortcut } from '../../browser/keyboard.ts';
import { may } from '../../session/session.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Icon } from '../../parts/icon.tsx';
import { reporting } from '../../parts/toast.tsx';
import { emailText } from '../../strings/mail/email.ts';

type Props = {
  delivery: Delivery;
  /** Undefined while it is not known, or when the session may not read it. */
  webhookUrl: string | null | undefined;
  onChange: () => void;
};

type Action = 'replay' | 'retry' | 'cancel' | 'release' | 'drop';

export function EmailActions({ delivery, webhookUrl, onChange }: Props) {
  const { event_id, status, content_erased_at: erasedAt } = delivery;
  const act = async (action: Action, report: string) => {
    const name = `POST /deliveries/{event_id}/${action}` as const;
    await reporting(() => call(name, { params: { event_id } }), report);
    onChange();
  };
  const replay = async () => {
    const text = emailText.replayText(webhookUrl);
    if (await confirm({ title: emailText.replayTitle, text, action: emailText.replay }))
      await act('replay', emailText.replayed);
  };
  const cancel = async () => {
    const question = {
      title: emailText.cancelTitle,
      text: emailText.cancelText,
      action: emailText.cancelRetries,
      cancel: emailText.keepRetries,
      isDestructive: true,
    };
    if (await confirm(question)) await act('cancel', emailText.canceled);
  };
  const erase = async () => {
    const question = {
      title: emailText.eraseTitle,
      text: emailText.eraseText,
      action: emailText.erase,
      isDestructive: true,
    };
    if (!(await confirm(question))) return;
    await reporting(
      () => call('DELETE /deliveries/{event_id}/content', { params: { event_id } }),
      emailText.eraseDone,
    );
    onChange();
  };
  const mayAct = may('deliveries:decide') && erasedAt === null;
  const release = () => act('release', emailText.released);
  const drop = async () => {
    const question = {
      title: emailText.dropTitle,
      text: emailText.dropText,
      action: emailText.drop,
      isDestructive: true,
    };
    if (await confirm(question)) await act('drop', emailText.dropDone);
  };
  const isFinal = status === 'delivered' || status === 'failed';
  const isRuled = isWithheld({ status });
  const retry = () => void act('retry', emailText.retried);
  useShortcut('r', emailText.replay, mayAct && isFinal ? () => void replay() : undefined);
  useShortcut('r', emailText.retryNow, mayAct && status === 'retrying' ? retry : undefined);
  useShortcut('r', emailText.release, mayAct && isRuled ? () => void release() : undefined);
  const eraseButton = may('deliveries:erase') && erasedAt === null && (
    <button type="button" onClick={() => void erase()}>
      {emailText.erase}
    </button>
  );
  if (!mayAct) return (isFinal || isRuled || status === 'retrying') && eraseButton;
  if (isFinal)
    return (
      <>
        <button
          type="button"
          class={status === 'failed' ? 'primary' : ''}
          onClick={() => void replay()}
        >
          <Icon name="replay" /> {emailText.replay}
        </button>
        {eraseButton}
      </>
    );
  if (isRuled)
    return (
      <>
        <button type="button" class="primary" onClick={() => void release()}>
          {emailText.release}
        </button>
        {status === 'held' && (
          <button type="button" onClick={() => void drop()}>
            {emailText.drop}
          </button>
        )}
        {eraseButton}
      </>
    );
  if (status !== 'retrying') return null;
  return (
    <>
      <button type="button" class="primary" onClick={retry}>
        <Icon name="replay" /> {emailText.retryNow}
      </button>
      <button type="button" onClick={() => void cancel()}>
        {emailText.cancelRetries}
      </button>
      {eraseButton}
    </>
  );
}

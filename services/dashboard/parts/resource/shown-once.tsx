/** What is shown only once, such as a new token. */
import { Copyable } from '../copy.tsx';
import { Dialog } from '../dialog.tsx';

type Props = {
  title: string;
  text: string;
  /** The secret, and what it is. */
  secret: string;
  what: string;
  done: string;
  close: () => void;
};

export const ShownOnce = ({ title, text, secret, what, done, close }: Props) => (
  <Dialog label={title} onClose={close}>
    <h2>{title}</h2>
    <p dir="auto">{text}</p>
    <Copyable text={secret} what={what} />
    <div class="buttons">
      <button type="button" class="primary" onClick={close}>
        {done}
      </button>
    </div>
  </Dialog>
);

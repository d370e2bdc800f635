/** Which events a notification sends: all, or some kinds of them. */
import type { Notification, NotificationType } from '../../../core/api/api-types.generated.ts';
import { FieldError } from '../../parts/field.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { notificationText } from '../../strings/notifications.ts';

export type TypeValues = { types: Notification['types'] };

const TYPES = Object.keys(notificationText.types) as NotificationType[];

export function TypeField<V extends TypeValues>({ form }: { form: Form<V> }) {
  const { types } = form.values;
  const toggle = (type: NotificationType) =>
    form.set(
      'types',
      TYPES.filter((one) => (types?.includes(one) ?? false) !== (one === type)),
    );
  return (
    <fieldset name="types">
      <legend>{notificationText.events}</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={types === null}
          disabled={form.isReadOnly}
          onChange={() => form.set('types', types === null ? TYPES : null)}
        />
        {notificationText.all}
      </label>
      {types !== null && (
        <div class="check-grid">
          {TYPES.map((type) => (
            <label key={type} class="check">
              <input
                type="checkbox"
                name={type}
                checked={types.includes(type)}
                disabled={form.isReadOnly}
                onChange={() => toggle(type)}
              />
              {notificationText.types[type]}
            </label>
          ))}
        </div>
      )}
      <FieldError error={form.errorOf('types')} />
    </fieldset>
  );
}

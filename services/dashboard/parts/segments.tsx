/** A filter with few choices, side by side. The chosen one is in the URL. */
import { screenUrl, setQuery } from '../browser/router.ts';

type Props = {
  label: string;
  /** The field of the URL's query. */
  field: string;
  /** Values with their labels. The empty value is the absence of the field. */
  choices: readonly (readonly [value: string, label: string])[];
};

export function Segments({ label, field, choices }: Props) {
  const chosen = screenUrl.value.query.get(field) ?? '';
  return (
    <div class="segments" role="group" aria-label={label}>
      {choices.map(([value, text]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => setQuery({ [field]: value })}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

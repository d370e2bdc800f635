/** Rules in their order. Buttons or the mouse move them. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { RuleRequest } from '../../../core/api/api-types.generated.ts';
import { formatCount } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { plain } from '../../parts/plain-text.ts';
import { RULE_TONES, Status } from '../../parts/status.tsx';
import { rulingText } from '../../strings/mail/ruling.ts';
import { ruleText } from '../../strings/rules.ts';
import { conditionsInWords } from './conditions.ts';
import type { RuleFault } from './rule-fault.ts';

type Props = {
  rules: readonly RuleRequest[];
  isReadOnly: boolean;
  fault: RuleFault | undefined;
  change: (rules: readonly RuleRequest[]) => void;
  edit: (at: number) => void;
};

type Direction = 'up' | 'down';

export function RuleList({ rules, isReadOnly, fault, change, edit }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const dragged = useRef<number>(undefined);
  const [moved, setMoved] = useState<{ to: number; direction: Direction } | undefined>();
  useLayoutEffect(() => {
    if (moved) focusOn(list.current?.children[moved.to], moved.direction);
  }, [moved]);

  const move = (from: number, to: number, direction: Direction) => {
    const rule = rules[from];
    if (rule === undefined || from === to) return;
    change(rules.toSpliced(from, 1).toSpliced(to, 0, rule));
    setMoved({ to, direction });
  };
  const drop = (to: number) => {
    const from = dragged.current;
    if (from !== undefined) move(from, to, to < from ? 'up' : 'down');
  };
  return (
    <>
      <ol class="rule-list" ref={list}>
        {rules.map((rule, at) => (
          <li
            key={at}
            draggable={!isReadOnly}
            onDragStart={() => void (dragged.current = at)}
            onDragEnd={() => void (dragged.current = undefined)}
            onDragOver={(event) => dragged.current !== undefined && event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              drop(at);
            }}
          >
            <RuleFacts rule={rule} />
            {!isReadOnly && (
              <div class="buttons">
                <Move
                  {...{ rule, direction: 'up' }}
                  isPossible={at > 0}
                  move={() => move(at, at - 1, 'up')}
                />
                <Move
                  {...{ rule, direction: 'down' }}
                  isPossible={at < rules.length - 1}
                  move={() => move(at, at + 1, 'down')}
                />
                <button type="button" onClick={() => edit(at)}>
                  {ruleText.editOne} <span class="visually-hidden">{rule.name}</span>
                </button>
                <button type="button" onClick={() => change(rules.toSpliced(at, 1))}>
                  {ruleText.removeOne} <span class="visually-hidden">{rule.name}</span>
                </button>
              </div>
            )}
            {fault?.at === at && (
              <p class="field-error" role="alert">
                {plain(fault.text)}
              </p>
            )}
          </li>
        ))}
      </ol>
      <p class="visually-hidden" role="status">
        {moved &&
          ruleText.moved(
            rules[moved.to]?.name ?? '',
            formatCount(moved.to + 1),
            formatCount(rules.length),
          )}
      </p>
    </>
  );
}

/** At an end, the button of this direction is disabled, so the other one gets the focus. */
function focusOn(row: Element | undefined, direction: Direction): void {
  const buttons = [...(row?.querySelectorAll<HTMLButtonElement>('[data-move]') ?? [])];
  const wanted = buttons.find((one) => one.dataset['move'] === direction && !one.disabled);
  (wanted ?? buttons.find((one) => !one.disabled))?.focus();
}

type MoveProps = {
  rule: RuleRequest;
  direction: Direction;
  isPossible: boolean;
  move: () => void;
};

const Move = ({ rule, direction, isPossible, move }: MoveProps) => (
  <button
    type="button"
    class="quiet"
    data-move={direction}
    disabled={!isPossible}
    title={ruleText[direction]}
    onClick={move}
  >
    <Icon name={direction} />
    <span class="visually-hidden">
      {ruleText[direction]} {rule.name}
    </span>
  </button>
);

/** What a rule is called, what it does, and when. */
export const RuleFacts = ({
  rule,
}: {
  rule: Omit<RuleRequest, 'tags'> & { tags?: string[] | undefined };
}) => (
  <div class="rule">
    <p>
      <strong dir="auto">{plain(rule.name)}</strong>{' '}
      <Status tone={RULE_TONES[rule.action]} text={rulingText.actions[rule.action]} />
      {rule.tags?.map((tag) => (
        <span key={tag} class="tag">
          {tag}
        </span>
      ))}
    </p>
    <p class="soft">{conditionsInWords(rule.when) ?? <code>{plain(rule.when)}</code>}</p>
  </div>
);

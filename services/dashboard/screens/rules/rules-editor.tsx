/** The rules of an account or an address: changed here, and then saved. */
import { useState } from 'preact/hooks';

import type { Rule, RuleRequest } from '../../../core/api/api-types.generated.ts';
import { withPreset } from '../../../core/api/rule-presets.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { toast } from '../../parts/toast.tsx';
import { ruleText } from '../../strings/rules.ts';
import { AgentPreset } from './agent-preset.tsx';
import { draftOf } from './drafts.ts';
import { RuleForm } from './rule-form.tsx';
import { type RuleFault, ruleFault } from './rule-fault.ts';
import { RuleList } from './rule-list.tsx';

/** The most rules of an account or an address. The API refuses more. */
const MOST = 20;

type Props = {
  /** The id of the account or the address. */
  owner: string;
  saved: readonly Rule[];
  isReadOnly: boolean;
  /** Saves the rules and shows what was saved. */
  save: (rules: RuleRequest[]) => Promise<void>;
};

export function RulesEditor({ owner, saved, isReadOnly, save }: Props) {
  const draft = draftOf(owner, saved);
  const rules = [...draft.rules];
  /** The place of the rule in the form; a new one is behind the last. */
  const [edited, setEdited] = useState<number>();
  const [isPreset, setIsPreset] = useState(false);
  const [fault, setFault] = useState<RuleFault>();
  const [isSaving, setIsSaving] = useState(false);
  const close = () => setEdited(undefined);
  const change = (changed: readonly RuleRequest[]) => {
    setFault(undefined);
    draft.change(changed);
  };
  const saveAll = async () => {
    setIsSaving(true);
    setFault(undefined);
    try {
      await save(rules);
      draft.discard();
      toast(ruleText.saved);
    } catch (error) {
      const found = ruleFault(error);
      if (found) setFault(found);
      else toast(error instanceof Error ? error.message : String(error), true);
    } finally {
      setIsSaving(false);
    }
  };
  return (
    <>
      <section class="card" aria-label={ruleText.title}>
        <p class="hint">{rules.length === 0 ? ruleText.none : ruleText.order}</p>
        <RuleList {...{ rules, isReadOnly, fault, change }} edit={setEdited} />
        {draft.isOutdated && <p class="notice">{ruleText.changedElsewhere}</p>}
        <div class="buttons">
          {!isReadOnly && rules.length < MOST && (
            <button type="button" onClick={() => setEdited(rules.length)}>
              <Icon name="plus" /> {ruleText.add}
            </button>
          )}
          {!isReadOnly && rules.length + 3 <= MOST && (
            <button type="button" onClick={() => setIsPreset(true)}>
              {ruleText.agents}
            </button>
          )}
        </div>
        {rules.length >= MOST && <p class="hint">{ruleText.full(MOST)}</p>}
        {draft.isChanged && (
          <div class="unsaved">
            <span role="status">{ruleText.unsaved}</span>
            <div class="buttons">
              <button
                type="button"
                class="primary"
                disabled={isSaving}
                onClick={() => void saveAll()}
              >
                {ruleText.save}
              </button>
              <button
                type="button"
                onClick={() => {
                  setFault(undefined);
                  draft.discard();
                }}
              >
                {ruleText.discard}
              </button>
            </div>
          </div>
        )}
      </section>
      {isPreset && (
        <Dialog label={ruleText.agents} onClose={() => setIsPreset(false)}>
          <AgentPreset
            close={() => setIsPreset(false)}
            done={(preset) => {
              change(withPreset(rules, preset));
              setIsPreset(false);
            }}
          />
        </Dialog>
      )}
      {edited !== undefined && (
        <Dialog
          label={edited < rules.length ? ruleText.editTitle : ruleText.add}
          class="dialog-wide"
          onClose={close}
        >
          <RuleForm
            rule={rules[edited]}
            close={close}
            done={(rule) => {
              change(edited < rules.length ? rules.with(edited, rule) : [...rules, rule]);
              close();
            }}
          />
        </Dialog>
      )}
    </>
  );
}

import { EMAILS_MAX, TARGETS_MAX } from '@waymark/contract';
import { Plus, Trash2 } from 'lucide-react';
import { Button } from '../../ui/Button.tsx';
import { Field, Select } from '../../ui/Fields.tsx';
import { newTarget, type TargetDraft } from './target-draft.ts';
import { TARGET_HELP, TARGET_WORDS, type TargetType } from './target-words.ts';

interface EditorProps {
  readonly targets: readonly TargetDraft[];
  readonly onChange: (targets: readonly TargetDraft[]) => void;
}

const TYPES = (['WEBHOOK', 'CHAT', 'EMAIL'] as const).map((id) => ({ id, label: TARGET_WORDS[id] }));

/** The list of targets. */
export function TargetsEditor({ targets, onChange }: EditorProps) {
  const change = (key: string, changes: Partial<TargetDraft>) =>
    onChange(targets.map((target) => (target.key === key ? { ...target, ...changes } : target)));
  return (
    <fieldset className="space-y-3">
      <legend className="mb-1 text-[13px] font-medium">Targets</legend>
      {targets.map((target, place) => (
        <TargetFields
          key={target.key}
          of={target}
          place={place}
          onChange={(changes) => change(target.key, changes)}
          {...(targets.length > 1 && { onRemove: () => onChange(targets.filter(({ key }) => key !== target.key)) })}
        />
      ))}
      <Button
        isDisabled={targets.length >= TARGETS_MAX}
        onPress={() => onChange([...targets, newTarget(crypto.randomUUID())])}
      >
        <Plus size={14} aria-hidden /> Add target
      </Button>
    </fieldset>
  );
}

function TargetFields({
  of,
  place,
  onChange,
  onRemove,
}: {
  readonly of: TargetDraft;
  readonly place: number;
  readonly onChange: (changes: Partial<TargetDraft>) => void;
  readonly onRemove?: () => void;
}) {
  return (
    <div className="flex flex-wrap items-start gap-3 rounded-md border border-line p-3">
      {of.id === null ? (
        <Select
          label="Type"
          className="w-32"
          value={of.type}
          onChange={(type) => onChange({ type: type as TargetType })}
          choices={TYPES}
        />
      ) : (
        <div className="w-32">
          <p className="mb-1 text-[13px] font-medium">Kind</p>
          <p className="py-1.5">{TARGET_WORDS[of.type]}</p>
        </div>
      )}
      <div className="min-w-52 flex-1">
        {of.type === 'EMAIL' ? (
          <Field
            label="Addresses"
            name={`targets.${place}.emails`}
            lines={2}
            isRequired
            value={of.emails}
            onChange={(emails) => onChange({ emails })}
            help={`One per line, at most ${EMAILS_MAX}.`}
          />
        ) : (
          <Field
            label="URL"
            name={`targets.${place}.webhook`}
            type="url"
            isRequired
            placeholder="https://"
            value={of.webhook}
            onChange={(webhook) => onChange({ webhook })}
            help={TARGET_HELP[of.type]}
          />
        )}
      </div>
      {onRemove && (
        <Button variant="quiet" className="mt-6" onPress={onRemove} aria-label={`Remove target ${place + 1}`}>
          <Trash2 size={15} aria-hidden />
        </Button>
      )}
    </div>
  );
}

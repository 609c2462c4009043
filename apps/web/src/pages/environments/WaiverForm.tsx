import { allowArtifact, getOrganization, type Organization } from '@waymark/contract';
import { dayEnd } from '../../lib/day.ts';
import { useNow } from '../../lib/now.ts';
import { useRead, useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { Loading } from '../../ui/States.tsx';
import { latestDay } from './waiver-until.ts';

type Rules = Pick<Organization, 'waiver_max_days' | 'reason_min_length'>;
const NO_RULES: Rules = { waiver_max_days: null, reason_min_length: 0 };

interface WaiverFormProps {
  /** The name of a physical environment. */
  readonly environment: string;
  /** Undefined if `children` has fields for its fingerprint and name. */
  readonly artifact: { readonly name: string; readonly fingerprint: string } | undefined;
  readonly onClose: () => void;
  readonly children?: React.ReactNode;
  /** The waiver to renew: its reason and its expiry, which may depend on the limit of the org. */
  readonly renewed?: { readonly reason: string; readonly until: (maxDays: number | null) => string };
}

/** Reason and expiry of a waiver. What the org demands of both is said before the server has to refuse it. */
export function WaiverForm(props: WaiverFormProps) {
  const org = useOrg();
  const rules = useRead(getOrganization, { params: { org } });
  if (rules.isPending) return <Loading lines={5} />;
  return <Fields {...props} rules={rules.data ?? NO_RULES} />;
}

function Fields({
  environment,
  artifact,
  onClose,
  children,
  renewed,
  rules: { waiver_max_days: maxDays, reason_min_length: least },
}: WaiverFormProps & { readonly rules: Rules }) {
  const org = useOrg();
  const now = useNow();
  const allow = useWrite(allowArtifact, {
    done: ({ artifact_name }) => `Waiver for ‘${artifact_name}’ ${renewed ? 'renewed' : 'added'}`,
    onDone: onClose,
  });
  return (
    <Form
      submit={renewed ? 'Renew waiver' : 'Add waiver'}
      error={allow.error}
      isPending={allow.isPending}
      onCancel={onClose}
      onSubmit={({ artifact_fingerprint = '', artifact_name = '', description = '', until = '' }) =>
        allow.mutate({
          params: { org, env_name: environment },
          body: {
            artifact_fingerprint: artifact?.fingerprint ?? artifact_fingerprint.trim(),
            artifact_name: artifact?.name ?? artifact_name,
            description,
            expires_at: dayEnd(until) ?? null,
          },
        })
      }
    >
      {children}
      <Field
        name="description"
        label="Reason for the waiver"
        isRequired
        lines={3}
        {...(renewed && { defaultValue: renewed.reason })}
        help={`Auditors see this next to your name.${least > 0 ? ` At least ${least} characters.` : ''}`}
      />
      <Field
        name="until"
        label="Expires at the end of"
        type="date"
        isRequired={maxDays !== null}
        defaultValue={renewed ? renewed.until(maxDays) : latestDay(now, maxDays)}
        help={
          maxDays === null
            ? 'In UTC. Leave empty for a waiver that never expires.'
            : `In UTC. This org requires an expiry within ${maxDays === 1 ? '1 day' : `${maxDays} days`}.`
        }
      />
    </Form>
  );
}

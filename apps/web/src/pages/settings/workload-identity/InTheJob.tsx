import { serviceUrl } from '../../../lib/base-path.ts';
import { CopyButton } from '../../../ui/Copy.tsx';
import { Panel } from '../../../ui/Panel.tsx';

/** What a pipeline needs so that its jobs can sign in. */
export function InTheJob({ org }: { readonly org: string }) {
  const host = serviceUrl();
  const audience = `${host}/${org}`;
  const github = `permissions:
  contents: read
  id-token: write
env:
  WAYMARK_HOST: ${host}
  WAYMARK_ORG: ${org}`;
  const gitlab = `report:
  variables:
    WAYMARK_HOST: ${host}
    WAYMARK_ORG: ${org}
  id_tokens:
    WAYMARK_ID_TOKEN:
      aud: ${audience}`;
  return (
    <Panel title="Job configuration">
      <p className="text-quiet">
        The token must have the audience <code className="[overflow-wrap:anywhere]">{audience}</code>. The{' '}
        <code>waymark</code> command then requests a key automatically.
      </p>
      <div className="mt-3 grid gap-3 lg:grid-cols-2">
        <Snippet title="GitHub Actions" text={github} />
        <Snippet title="GitLab CI" text={gitlab} />
      </div>
    </Panel>
  );
}

function Snippet({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div className="min-w-0">
      <h3 className="mb-1 text-[13px] font-medium">{title}</h3>
      <div className="flex items-start gap-2 rounded-md border border-line bg-raised p-3">
        <pre className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</pre>
        <CopyButton text={text} what={`lines for ${title}`} />
      </div>
    </div>
  );
}

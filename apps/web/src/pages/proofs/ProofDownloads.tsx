import { useMutation } from '@tanstack/react-query';
import type { LedgerEntry } from '@waymark/contract';
import { Download } from 'lucide-react';
import { saveAs } from '../../lib/save-as.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Failure } from '../../ui/States.tsx';
import { type ProofSubject, proofFileName } from './proof-subject.ts';
import { fetchProof } from './use-verification.ts';

interface DownloadsProps {
  readonly org: string;
  readonly of: ProofSubject;
  readonly entry: LedgerEntry;
  readonly offered: string | null | undefined;
}

const POLICY_FILE = 'trust.txt';

/** The files for a verification elsewhere, with the command for it. */
export function ProofDownloads({ org, of, entry, offered }: DownloadsProps) {
  const file = proofFileName(of);
  const download = useMutation<void, Error>({
    mutationFn: async () => saveAs(new Blob([(await fetchProof(org, entry.entry_id)) as BlobPart]), file),
  });
  const command = `waymark ledger verify ${file} --policy ${POLICY_FILE}`;
  return (
    <Panel title="Verify elsewhere">
      <p className="mb-3">
        Both files together are verified without this server, with our command line or with other software for
        transparency logs.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          whyNot={entry.sealed === null ? 'Not sealed yet' : undefined}
          onPress={() => !download.isPending && download.mutate()}
        >
          <Download size={14} aria-hidden /> Download proof
        </Button>
        <Button
          isDisabled={typeof offered !== 'string'}
          onPress={() => typeof offered === 'string' && saveAs(new Blob([offered]), POLICY_FILE)}
        >
          <Download size={14} aria-hidden /> Download trust policy
        </Button>
      </div>
      {download.error && (
        <div className="mt-3">
          <Failure error={download.error} />
        </div>
      )}
      <div className="mt-3 flex items-start gap-2 rounded-md border border-line bg-raised p-3">
        <pre className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">{command}</pre>
        <CopyButton text={command} what="command" />
      </div>
    </Panel>
  );
}

import { Download } from 'lucide-react';
import { withBase } from '../../../lib/base-path.ts';
import { LinkButton } from '../../../ui/Button.tsx';
import { CopyButton } from '../../../ui/Copy.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { Link } from '../../../ui/Link.tsx';
import { Time } from '../../../ui/Time.tsx';

/** Something that a package can be made of. */
export interface Packable {
  readonly key: string;
  readonly name: string;
  readonly of: string;
  readonly href: string;
  readonly download: string;
  /** What the command line calls it. */
  readonly what: string;
  readonly report?: string;
  readonly at?: number;
}

export function PackageTable({
  caption,
  org,
  rows,
  empty,
}: {
  readonly caption: string;
  readonly org: string;
  readonly rows: readonly Packable[];
  readonly empty: React.ReactNode;
}) {
  return <DataTable caption={caption} columns={columnsOf(org)} rows={rows} rowKey={({ key }) => key} empty={empty} />;
}

function columnsOf(org: string): readonly Column<Packable>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      wide: true,
      cell: ({ name, of, href }) => (
        <>
          <Link href={href} className="font-medium">
            {name}
          </Link>
          <div className="text-[13px] text-quiet">{of}</div>
        </>
      ),
    },
    { key: 'at', title: 'When', secondary: true, cell: ({ at }) => <Time at={at} none="" /> },
    {
      key: 'package',
      title: 'Download',
      cell: ({ name, download, what, report }) => (
        <div className="flex flex-wrap items-center gap-1 sm:flex-nowrap">
          <LinkButton href={download} download aria-label={`Download package of ${name}`}>
            <Download size={14} aria-hidden /> Download package
          </LinkButton>
          {report !== undefined && (
            <a
              href={withBase(report)}
              target="_blank"
              rel="noreferrer noopener"
              className="px-2 py-1.5 text-[13px] font-medium whitespace-nowrap no-print"
            >
              Printable report
            </a>
          )}
          <CopyButton text={`waymark audit package ${what} --org ${org}`} what={`command for ${name}`} />
        </div>
      ),
    },
  ];
}

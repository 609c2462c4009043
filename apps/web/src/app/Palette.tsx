import { useNavigate } from '@tanstack/react-router';
import { type LucideIcon, Search } from 'lucide-react';
import { useState } from 'react';
import {
  Dialog as AriaDialog,
  Autocomplete,
  Collection,
  Header,
  Input,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components';
import { paths } from '../lib/paths.ts';
import { useOrg } from '../lib/route.ts';
import { Link } from '../ui/Link.tsx';
import { type Entry, type Group, iconOf } from './palette/places.ts';
import { rememberPlace } from './palette/recent-places.ts';
import { useGroups } from './palette/use-groups.ts';

/** Search or jump to anything, by its name, its digits or the change it came from. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(open) => !open && onClose()}
      className="fixed inset-0 z-40 flex items-start justify-center bg-black/40 p-3 pt-[8vh] print:hidden"
    >
      <Modal className="w-full max-w-xl rounded-xl border border-line bg-panel shadow-2xl">
        <AriaDialog aria-label="Search or jump to" className="outline-none">
          <Content onClose={onClose} />
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

function Content({ onClose }: { readonly onClose: () => void }) {
  const org = useOrg();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const { groups, isSearching, error } = useGroups(typed);
  const follow = ({ href, label, isRemembered, run }: Entry) => {
    onClose();
    run?.();
    if (href === undefined) return;
    if (isRemembered) rememberPlace(org, { href, label });
    void navigate({ href });
  };
  return (
    <Autocomplete inputValue={typed} onInputChange={setTyped}>
      <SearchField
        aria-label="Search or jump to"
        autoFocus
        className="flex items-center gap-2.5 border-b border-line px-4"
      >
        <Search size={16} aria-hidden className="shrink-0 text-quiet" />
        <Input
          role="combobox"
          aria-expanded
          aria-haspopup="listbox"
          placeholder="Name, commit, fingerprint, pull request, or ticket"
          className="w-full bg-transparent py-3.5 text-[15px] outline-none [&::-webkit-search-cancel-button]:hidden"
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose();
          }}
        />
      </SearchField>
      <ListBox
        aria-label="Search results"
        items={groups}
        className="max-h-[60vh] min-h-24 overflow-auto p-1.5 outline-none"
        onAction={(key) => {
          const entry = groups.flatMap(({ entries }) => entries).find(({ id }) => id === key);
          if (entry) follow(entry);
        }}
        renderEmptyState={() => <NothingFound org={org} isSearching={isSearching} error={error} onClose={onClose} />}
      >
        {(group) => <GroupOf org={org} group={group} />}
      </ListBox>
      <div className="flex items-center gap-4 border-t border-line px-4 py-2 text-[12px] text-quiet">
        <span aria-hidden className="max-sm:hidden">
          ↑ ↓ to select
        </span>
        <span aria-hidden className="max-sm:hidden">
          Enter to open
        </span>
        <span aria-hidden className="max-sm:hidden">
          Esc to close
        </span>
        <span role="status" className="ml-auto">
          {isSearching ? 'Searching …' : error === null ? '' : 'Search failed'}
        </span>
      </div>
    </Autocomplete>
  );
}

function GroupOf({ org, group }: { readonly org: string; readonly group: Group }) {
  return (
    <ListBoxSection id={group.id} className="pb-1">
      <Header className="px-2.5 pt-2 pb-1 text-[12px] font-medium text-quiet">{group.title}</Header>
      <Collection items={group.entries}>
        {({ id, label, hint, href }) => (
          <ListBoxItem
            id={id}
            textValue={label}
            className="flex cursor-pointer items-baseline gap-3 rounded-md px-2.5 py-1.5 outline-none data-[focused]:bg-accent-wash data-[hovered]:bg-raised"
          >
            <EntryIcon as={iconOf(org, { href })} />
            <span className="min-w-0 flex-1 truncate" title={label}>
              {label}
            </span>
            {hint !== undefined && hint !== '' && (
              <span className="max-w-[50%] shrink-0 truncate text-[12.5px] text-quiet">{hint}</span>
            )}
          </ListBoxItem>
        )}
      </Collection>
    </ListBoxSection>
  );
}

function EntryIcon({ as: Icon }: { readonly as: LucideIcon }) {
  return <Icon size={15} aria-hidden className="shrink-0 self-center text-quiet" />;
}

function NothingFound({
  org,
  isSearching,
  error,
  onClose,
}: {
  readonly org: string;
  readonly isSearching: boolean;
  readonly error: string | null;
  readonly onClose: () => void;
}) {
  if (isSearching) return <p className="px-2.5 py-6 text-center text-quiet">Searching …</p>;
  if (error !== null) return <p className="px-2.5 py-6 text-center text-bad">Search failed: {error}</p>;
  return (
    <p className="px-2.5 py-6 text-center text-quiet">
      No results. Try{' '}
      <Link href={paths.trace(org)} onClick={onClose} className="underline">
        Where is it?
      </Link>
    </p>
  );
}

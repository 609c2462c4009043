import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { dismissToast, showToast } from '../../src/lib/toasts.ts';
import { Button, type ButtonVariant, LinkButton } from '../../src/ui/Button.tsx';
import { ConfirmDialog } from '../../src/ui/ConfirmDialog.tsx';
import { CopyButton, Digits } from '../../src/ui/Copy.tsx';
import { DialogButton, Drawer, MenuDrawer } from '../../src/ui/Dialog.tsx';
import { FilterChips } from '../../src/ui/FilterChips.tsx';
import { Link, OutsideLink } from '../../src/ui/Link.tsx';
import { Overlay } from '../../src/ui/Overlay.tsx';
import { Pill } from '../../src/ui/Pill.tsx';
import { RefusedButton } from '../../src/ui/RefusedButton.tsx';
import { Toasts } from '../../src/ui/Toasts.tsx';
import type { Story } from '../story.ts';

const ROW = 'flex flex-wrap items-center gap-3';
const VARIANTS: readonly ButtonVariant[] = ['primary', 'plain', 'danger', 'remove', 'quiet'];
const WHY_NOT = 'Requires the admin role';
const IDLE = { error: null, isPending: false };
const REFUSED = { error: new Error('The policy is attached to production. Detach it first.'), isPending: false };

/** A button that opens an overlay, which gets what closes it. */
function Opener({ label, show }: { readonly label: string; readonly show: (close: () => void) => React.ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>{label}</Button>
      {open && show(() => setOpen(false))}
    </>
  );
}

export const actionStories: readonly Story[] = [
  {
    of: 'Button',
    show: () => (
      <div className="space-y-3">
        <div className={ROW}>
          {VARIANTS.map((variant) => (
            <Button key={variant} variant={variant}>
              {variant}
            </Button>
          ))}
          <LinkButton href="/acme">link</LinkButton>
        </div>
        <div className={ROW}>
          {VARIANTS.map((variant) => (
            <Button key={variant} variant={variant} isDisabled>
              {variant}, disabled
            </Button>
          ))}
        </div>
        <div className={ROW}>
          {VARIANTS.map((variant) => (
            <Button key={variant} variant={variant} whyNot={WHY_NOT}>
              {variant}, refused
            </Button>
          ))}
        </div>
      </div>
    ),
  },
  {
    of: 'RefusedButton',
    show: () => (
      <RefusedButton whyNot={WHY_NOT} className="underline" type="button" aria-label={undefined}>
        Archive
      </RefusedButton>
    ),
  },
  {
    of: 'Copy',
    show: () => (
      <div className={ROW}>
        <CopyButton text="waymark doctor" what="command" />
        <CopyButton text="waymark doctor" what="command with a label" label="Copy" />
        <Digits text="7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1f" what="commit" />
        <Digits text="" what="fingerprint" />
      </div>
    ),
  },
  {
    of: 'Link',
    show: () => (
      <div className={ROW}>
        <Link href="/acme">Home</Link>
        <OutsideLink href="https://example.com/run/1">example.com</OutsideLink>
        <OutsideLink href="ftp://example.com">not an address</OutsideLink>
      </div>
    ),
  },
  {
    of: 'FilterChips',
    show: () => {
      const [chosen, setChosen] = useState<'red' | 'stale' | undefined>('red');
      return (
        <FilterChips
          label="State"
          chips={[
            { id: 'red', label: 'Non-compliant' },
            { id: 'stale', label: 'Stale' },
          ]}
          chosen={chosen}
          onChoose={setChosen}
        />
      );
    },
  },
  {
    of: 'Pill',
    show: () => (
      <div className={ROW}>
        <Pill icon={CircleCheck} tone="bg-raised text-quiet">
          Replaced
        </Pill>
        <Pill icon={CircleCheck} tone="bg-good-wash text-good" size="large">
          Proven
        </Pill>
      </div>
    ),
  },
  {
    of: 'Dialog',
    show: () => (
      <div className={ROW}>
        <DialogButton label="Open dialog" title="Dialog">
          {(close) => <Button onPress={close}>Done</Button>}
        </DialogButton>
        <DialogButton label="Open wide dialog" title="Wide dialog" wide>
          {(close) => <Button onPress={close}>Done</Button>}
        </DialogButton>
        <DialogButton label="Open refused dialog" title="Never open" whyNot={WHY_NOT}>
          {() => null}
        </DialogButton>
        <Opener
          label="Open drawer"
          show={(close) => (
            <Drawer title="Drawer" onClose={close}>
              <p>The page behind it keeps its place.</p>
            </Drawer>
          )}
        />
        <Opener
          label="Open menu"
          show={(close) => (
            <MenuDrawer title="Menu" onClose={close}>
              <p className="p-4">Closes when the screen becomes wide.</p>
            </MenuDrawer>
          )}
        />
      </div>
    ),
  },
  {
    of: 'ConfirmDialog',
    show: () => (
      <div className={ROW}>
        {([IDLE, { error: null, isPending: true }, REFUSED] as const).map((write, place) => {
          const label = ['Ask', 'Ask, being sent', 'Ask, refused'][place] ?? '';
          return (
            <Opener
              key={label}
              label={label}
              show={(close) => (
                <ConfirmDialog
                  title="Archive prod-release"
                  confirm="Archive policy"
                  write={write}
                  onConfirm={close}
                  onClose={close}
                >
                  <p>The policy can no longer be attached.</p>
                </ConfirmDialog>
              )}
            />
          );
        })}
      </div>
    ),
  },
  {
    of: 'Overlay',
    show: () => (
      <Opener
        label="Open overlay"
        show={(close) => (
          <Overlay title="Overlay" place="middle" onClose={close}>
            <p>Keeps the focus until it is closed.</p>
          </Overlay>
        )}
      />
    ),
  },
  {
    of: 'Toasts',
    show: () => (
      <div className={ROW}>
        <Button onPress={() => showToast('good', 'Waiver added')}>Show success</Button>
        <Button onPress={() => showToast('bad', 'Couldn’t send the invitation')}>Show failure</Button>
        <Button variant="quiet" onPress={() => dismissToast(1)}>
          Dismiss first
        </Button>
        <Toasts />
      </div>
    ),
  },
];

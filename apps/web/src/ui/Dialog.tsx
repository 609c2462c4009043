import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { type DialogId, useDialogInAddress } from '../lib/dialog-address.ts';
import { Button, type ButtonVariant } from './Button.tsx';

// No page needs it to render, and it is a fifth of the size of the largest.
const Overlay = lazyRouteComponent(() => import('./Overlay.tsx'), 'Overlay');

interface DialogProps {
  readonly title: React.ReactNode;
  readonly children: (close: () => void) => React.ReactNode;
  readonly wide?: boolean;
}

/** A modal dialog. */
export function Dialog({ title, children, wide = false, onClose }: DialogProps & { readonly onClose: () => void }) {
  return (
    <Suspense>
      <Overlay title={title} place={wide ? 'wide' : 'middle'} onClose={onClose}>
        {children(onClose)}
      </Overlay>
    </Suspense>
  );
}

/** A button that opens a dialog. */
export function DialogButton({
  label,
  name,
  variant = 'plain',
  whyNot,
  isDisabled = false,
  inAddress,
  ...dialog
}: DialogProps & {
  readonly label: React.ReactNode;
  /** For screen readers, where the label needs what is around it. */
  readonly name?: string;
  readonly variant?: ButtonVariant;
  readonly whyNot?: string | undefined;
  /** The reason is given once for several buttons. */
  readonly isDisabled?: boolean;
  /** The name by which an address opens it. */
  readonly inAddress?: DialogId;
}) {
  const [asked, setOpen] = useDialogInAddress(inAddress);
  const open = asked && whyNot === undefined && !isDisabled;
  return (
    <>
      <Button
        variant={variant}
        whyNot={whyNot}
        isDisabled={isDisabled}
        {...(name !== undefined && { 'aria-label': name })}
        aria-haspopup="dialog"
        aria-expanded={open}
        onPress={() => setOpen(true)}
      >
        {label}
      </Button>
      {open && <Dialog {...dialog} onClose={() => setOpen(false)} />}
    </>
  );
}

interface DrawerProps {
  readonly title: React.ReactNode;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
}

/** Opens beside the page, with an address of its own; the page behind it keeps its place. */
export function Drawer(props: DrawerProps) {
  return (
    <Suspense>
      <Overlay {...props} place="side" />
    </Suspense>
  );
}

/** The navigation of a screen that is too narrow for a side bar. Closes when the screen becomes wide enough. */
export function MenuDrawer(props: DrawerProps) {
  const { onClose } = props;
  useEffect(() => {
    const wide = window.matchMedia('(width >= 64rem)');
    const follow = () => wide.matches && onClose();
    wide.addEventListener('change', follow);
    return () => wide.removeEventListener('change', follow);
  }, [onClose]);
  return (
    <Suspense>
      <Overlay {...props} place="menu" />
    </Suspense>
  );
}

import { X } from 'lucide-react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from './Button.tsx';
import { classes } from './classes.ts';

export interface OverlayProps {
  readonly title: React.ReactNode;
  readonly onClose: () => void;
  /** `side` leaves the page visible and replaces it in print; `menu` is on the other side, where its button is. */
  readonly place: 'middle' | 'wide' | 'side' | 'menu';
  readonly children: React.ReactNode;
}

const IN_THE_MIDDLE = 'z-40 items-start justify-center overflow-auto bg-black/40 p-4 pt-[10vh] print:hidden';
const BEHIND = {
  middle: IN_THE_MIDDLE,
  wide: IN_THE_MIDDLE,
  side: 'z-30 justify-end bg-black/30 print:static print:block print:bg-transparent',
  menu: 'z-30 justify-start bg-black/40 print:hidden',
};
const SHEET = {
  middle: 'w-full max-w-lg rounded-xl border border-line bg-panel shadow-2xl',
  wide: 'w-full max-w-3xl rounded-xl border border-line bg-panel shadow-2xl',
  side: 'h-full w-full max-w-2xl overflow-auto border-l border-line bg-page shadow-2xl print:max-w-none print:border-0 print:shadow-none',
  menu: 'h-full w-72 max-w-[85vw] overflow-auto overscroll-contain border-r border-line bg-panel shadow-2xl',
};
const CONTENT = { middle: 'px-5 pt-3 pb-5', wide: 'px-5 pt-3 pb-5', side: 'space-y-4 p-5', menu: '' };

/** An overlay that keeps the focus until it is closed. Dialog.tsx loads it when the first one opens. */
export function Overlay({ title, onClose, place, children }: OverlayProps) {
  const isHigh = place === 'side' || place === 'menu';
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      className={classes('fixed inset-0 flex', BEHIND[place])}
    >
      <Modal className={SHEET[place]}>
        <Dialog className={classes('outline-none', isHigh && 'min-h-full')}>
          <div
            className={classes(
              'flex items-start gap-3 px-5',
              isHigh ? 'sticky top-0 z-10 border-b border-line bg-panel py-3' : 'pt-4',
            )}
          >
            <Heading slot="title" className="min-w-0 text-[16px] font-semibold [overflow-wrap:anywhere]">
              {title}
            </Heading>
            <Button variant="quiet" className="-mr-2 ml-auto !p-1" onPress={onClose} aria-label="Close">
              <X size={16} aria-hidden />
            </Button>
          </div>
          <div className={CONTENT[place]}>{children}</div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

import { X } from 'lucide-react';
import { Dialog as AriaDialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button, type ButtonLook } from './Button.tsx';
import { classes } from './classes.ts';

interface DialogProps {
  readonly title: React.ReactNode;
  readonly children: (close: () => void) => React.ReactNode;
  readonly isOpen?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly wide?: boolean;
}

/** Over the page, until it is answered. */
export function Dialog({ title, children, isOpen, onOpenChange, wide = false }: DialogProps) {
  return (
    <ModalOverlay
      isDismissable
      {...(isOpen !== undefined && { isOpen })}
      {...(onOpenChange && { onOpenChange })}
      className="fixed inset-0 z-40 flex items-start justify-center overflow-auto bg-black/40 p-4 pt-[10vh] print:hidden"
    >
      <Modal
        className={classes('w-full rounded-xl border border-line bg-panel shadow-2xl', wide ? 'max-w-3xl' : 'max-w-lg')}
      >
        <AriaDialog className="outline-none">
          {({ close }) => (
            <>
              <div className="flex items-start gap-3 px-5 pt-4">
                <Heading slot="title" className="text-[16px] font-semibold">
                  {title}
                </Heading>
                <Button look="quiet" className="-mr-2 ml-auto !p-1" onPress={close} aria-label="Close">
                  <X size={16} aria-hidden />
                </Button>
              </div>
              <div className="px-5 pt-3 pb-5">{children(close)}</div>
            </>
          )}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** A button that opens a dialog. */
export function DialogButton({
  label,
  look = 'plain',
  whyNot,
  ...dialog
}: DialogProps & {
  readonly label: React.ReactNode;
  readonly look?: ButtonLook;
  readonly whyNot?: string | undefined;
}) {
  return (
    <DialogTrigger>
      <Button look={look} whyNot={whyNot}>
        {label}
      </Button>
      <Dialog {...dialog} />
    </DialogTrigger>
  );
}

/** Beside the page, with an address of its own: what is behind it stays where it was. */
export function Drawer({
  title,
  onClose,
  children,
}: {
  readonly title: React.ReactNode;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
}) {
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      className="fixed inset-0 z-30 flex justify-end bg-black/30 print:static print:block print:bg-transparent"
    >
      <Modal className="h-full w-full max-w-2xl overflow-auto border-l border-line bg-page shadow-2xl print:max-w-none print:border-0 print:shadow-none">
        <AriaDialog className="min-h-full outline-none">
          <div className="sticky top-0 z-10 flex items-start gap-3 border-b border-line bg-panel px-5 py-3">
            <Heading slot="title" className="min-w-0 text-[16px] font-semibold [overflow-wrap:anywhere]">
              {title}
            </Heading>
            <Button look="quiet" className="-mr-2 ml-auto !p-1" onPress={onClose} aria-label="Close">
              <X size={16} aria-hidden />
            </Button>
          </div>
          <div className="space-y-4 p-5">{children}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

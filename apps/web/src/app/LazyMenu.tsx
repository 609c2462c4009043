import { type ComponentType, type ReactNode, Suspense, useState } from 'react';

/** Props of a menu that was loaded by a press of its button: it opens at once. */
export interface OpenedMenu {
  readonly className: string;
  readonly children: ReactNode;
}

/** The button of a menu. The menu itself, and the code that menus need, is loaded on first use. */
export function LazyMenu({ menu: Menu, ...face }: OpenedMenu & { readonly menu: ComponentType<OpenedMenu> }) {
  const [wanted, setWanted] = useState(false);
  const button = (
    <button type="button" aria-haspopup="menu" className={face.className} onClick={() => setWanted(true)}>
      {face.children}
    </button>
  );
  if (!wanted) return button;
  return (
    <Suspense fallback={button}>
      <Menu {...face} />
    </Suspense>
  );
}

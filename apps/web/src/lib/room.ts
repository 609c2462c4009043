import { useLayoutEffect, useRef, useState } from 'react';

/** The width available for a picture, also after the window was resized; 0 until it is known. */
export function useRoom<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = () => {
      const { paddingLeft, paddingRight } = getComputedStyle(element);
      setRoom(element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, room] as const;
}

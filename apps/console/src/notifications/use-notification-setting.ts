import { useLocalStorage } from '@mantine/hooks';

const KEY = 'chorus.notifications';

/** Whether this browser shows notifications: the user enabled and allowed them. */
export function useNotificationSetting() {
  const [isWanted, setIsWanted] = useLocalStorage({ key: KEY, defaultValue: false, getInitialValueInEffect: false });
  const isSupported = 'Notification' in window;
  /** Asks for permission, so a click must have called it. Returns false if it was refused. */
  const change = async (wanted: boolean): Promise<boolean> => {
    const isAllowed = !wanted || (isSupported && (await Notification.requestPermission()) === 'granted');
    setIsWanted(wanted && isAllowed);
    return isAllowed;
  };
  return { isOn: isWanted && isSupported && Notification.permission === 'granted', isSupported, change };
}

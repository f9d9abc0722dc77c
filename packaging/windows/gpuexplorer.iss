; The installer for Windows, made by Inno Setup 6.3 or newer. packages.py defines what depends
; on the build; by hand: iscc /DFolder=... /DTitle=... (all that are asked for below).
;
; Both sizes share one AppId: whoever installs the one over the other has the one, as with the
; Debian packages. Nothing needs an administrator.

#ifndef Folder
  #error Folder is not defined: the folder that PyInstaller made
#endif
#ifndef Title
  #error Title is not defined: what the program is called in the list of installed programs
#endif
#ifndef Publisher
  #error Publisher is not defined
#endif
#ifndef Version
  #error Version is not defined
#endif
#ifndef FourNumbers
  #error FourNumbers is not defined: the version as four numbers, such as 1.2.0.0
#endif
#ifndef Icon
  #error Icon is not defined: the path of the .ico file
#endif
#ifndef Picture
  #error Picture is not defined: the path of the .bmp file that the installer's pages show
#endif
#ifndef Output
  #error Output is not defined: the folder that the installer is written to
#endif
#ifndef OutputName
  #error OutputName is not defined: the installer's name without .exe
#endif

[Setup]
AppId={{5E3D3B0A-6C35-4F8E-9B6B-2A1C7D0E4F61}
AppName=GPU Explorer
AppVersion={#Version}
AppVerName={#Title} {#Version}
AppPublisher={#Publisher}
VersionInfoVersion={#FourNumbers}
VersionInfoDescription={#Title}: installer
UninstallDisplayName={#Title}
UninstallDisplayIcon={app}\GPU Explorer.exe
DefaultDirName={autopf}\GPU Explorer
DefaultGroupName=GPU Explorer
DisableProgramGroupPage=yes
DisableDirPage=auto
DisableWelcomePage=yes
UsePreviousTasks=yes
; For this person only, unless an administrator starts it with /ALLUSERS.
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=commandline
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
; What Qt 6.11 asks for: Windows 10, version 1809.
MinVersion=10.0.17763
; A program that runs holds its files: the person is asked whether it may be closed.
CloseApplications=yes
RestartApplications=no
SetupLogging=yes
Compression=lzma2/ultra64
SolidCompression=yes
LZMAUseSeparateProcess=yes
WizardStyle=modern
SetupIconFile={#Icon}
WizardSmallImageFile={#Picture}
OutputDir={#Output}
OutputBaseFilename={#OutputName}

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"

[Tasks]
Name: "desktop"; Description: "A shortcut on the &desktop"; Flags: unchecked

[InstallDelete]
; An older version, or the other size, may have files that this one has not: a library of
; another version beside ours would be loaded.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "{#Folder}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[Icons]
Name: "{group}\GPU Explorer"; Filename: "{app}\GPU Explorer.exe"; WorkingDir: "{userdocs}"; Comment: "See what every graphics card of this computer is doing"
Name: "{group}\GPU Explorer commands"; Filename: "{cmd}"; Parameters: "/K ""set ""PATH={app};%PATH%"" && gpuexplorer --help"""; WorkingDir: "{userdocs}"; IconFilename: "{app}\gpuexplorer.exe"; Comment: "A terminal that knows the command gpuexplorer"
Name: "{autodesktop}\GPU Explorer"; Filename: "{app}\GPU Explorer.exe"; WorkingDir: "{userdocs}"; Tasks: desktop

[Registry]
; So that Win+R and `start` know the name gpuexplorer.
Root: HKA; Subkey: "Software\Microsoft\Windows\CurrentVersion\App Paths\gpuexplorer.exe"; ValueType: string; ValueData: "{app}\gpuexplorer.exe"; Flags: uninsdeletekey

[Run]
Filename: "{app}\GPU Explorer.exe"; Description: "Open GPU Explorer"; WorkingDir: "{userdocs}"; Flags: nowait postinstall skipifsilent

[UninstallDelete]
; What Python or a person may have left beside the files that were installed.
Type: filesandordirs; Name: "{app}\_internal"
Type: dirifempty; Name: "{app}"

[Code]
const
  Settings = '{localappdata}\gpuexplorer';

{ The person's own settings go only where the person says so; a silent removal keeps them. }
procedure CurUninstallStepChanged(Step: TUninstallStep);
begin
  if (Step = usPostUninstall) and DirExists(ExpandConstant(Settings)) then
    if SuppressibleMsgBox('Remove your settings of GPU Explorer too?', mbConfirmation,
        MB_YESNO or MB_DEFBUTTON2, IDNO) = IDYES then
      DelTree(ExpandConstant(Settings), True, True, True);
end;

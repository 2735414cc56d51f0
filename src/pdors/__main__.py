"""`python -m pdors`."""

from pdors.cli.main import main

if __name__ == "__main__":
    main()
